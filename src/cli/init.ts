import { constants, existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { isDiskFull, REMEDIES, userHome } from '../core/disk.ts';
import { codeOf, firstLineOf, UsageError } from '../core/errors.ts';
import { printable } from '../core/input.ts';
import {
  addToSettings,
  entryOf,
  GENERIC_HOST,
  HOSTS,
  type Host,
  hostOf,
  renderSettings,
  SettingsError,
  settingsPath,
} from './hosts.ts';
import type { Terminal } from './terminal.ts';

export interface InitCommand {
  name: 'init';
  /** As the user typed it; undefined lists all hosts. */
  host: string | undefined;
  write: boolean;
}

/** `quantshelf init`: prints or writes the settings that a host needs; returns the exit code. */
export async function configureHost(
  { host: name, write }: InitCommand,
  { hostFolders, env }: Pick<Config, 'hostFolders' | 'env'>,
  { log, print }: Pick<Terminal, 'log' | 'print'>,
): Promise<number> {
  if (name === undefined) {
    if (write) log('Name a host, as in `quantshelf init claude-code --write`:');
    for (const [each, { label }] of Object.entries(HOSTS)) {
      print(`\`quantshelf init ${each}\``.padEnd(34) + label);
    }
    return write ? 2 : 0;
  }
  const host = hostOf(name);
  if (host === undefined) {
    print(renderSettings(GENERIC_HOST, entryOf(GENERIC_HOST, process.platform)));
    log(
      `Most hosts accept this in their settings file. QuantShelf does not know where "${printable(name)}" keeps that; ` +
        `the hosts it knows are ${Object.keys(HOSTS).join(', ')}.`,
    );
    describeSettings(env).forEach(log);
    return write ? 1 : 0;
  }
  const home = userHome();
  if (home === null) {
    throw new UsageError('HOME must be set to your home directory, as an absolute path.');
  }
  const path = existingPath(host, settingsPath(host, process.platform, home, hostFolders));
  const entry = entryOf(host, process.platform);
  if (!write) {
    print(renderSettings(host, entry));
    const command = `\`quantshelf init ${name.toLowerCase()} --write\``;
    log(`${host.label} reads this from ${path}; ${command} adds it there.`);
    describeSettings(env).forEach(log);
    return 0;
  }
  try {
    log(await extendSettings(path, host, entry));
    describeSettings(env).forEach(log);
    return 0;
  } catch (error) {
    if (isDiskFull(error, dirname(path))) {
      log(`${path} was not changed. ${REMEDIES.full}`);
      return 1;
    }
    log(`${path} was not changed: ${firstLineOf(error)}.`);
    log(`${error instanceof SettingsError ? 'Fix the file, or add' : 'Add'} this by hand:`);
    print(renderSettings(host, entry));
    return 1;
  }
}

/** Names the settings in this shell, whose values may be secret. */
function describeSettings(env: Config['env']): string[] {
  const isSetting = (name: string) =>
    env[name] && /^(QUANTSHELF_|FRED_API_KEY$|(HTTPS?|NO)_PROXY$)/.test(name);
  const names = Object.keys(env).filter(isSetting);
  const said = `This copies no settings from your shell (${names.sort().join(', ')}), and not every host inherits them: unless the entry has them, add them to the environment that the host passes to the server.`;
  return names.length === 0 ? [] : [said];
}

/** Rejects invalid UTF-8, which rewriting would lose, and keeps a byte order mark. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `path`, or the file with the host's alternative name if only that exists. */
function existingPath({ otherName }: Host, path: string): string {
  const other = otherName && join(dirname(path), otherName);
  return other !== undefined && !existsSync(path) && existsSync(other) ? other : path;
}

/** Adds QuantShelf to the settings file; returns a message for the user. */
async function extendSettings(
  path: string,
  host: Host,
  entry: ReturnType<typeof entryOf>,
): Promise<string> {
  const before = await readIfPresent(path);
  const { text: after, isUpdate } = addToSettings(before ?? '', host, entry);
  if (after === before) return `${path} already lists QuantShelf.`;
  if (before === null) {
    await mkdir(dirname(path), { recursive: true });
    await writeNew(path, after);
    return `Wrote ${path}. Restart ${host.label}.`;
  }
  const backup = `${path}.${new Date().toISOString().replace(/[:.]/g, '-')}.backup`;
  await copyFile(path, backup, constants.COPYFILE_EXCL);
  await replace(await realpath(path), after);
  const change = isUpdate ? 'Updated QuantShelf in' : 'Added QuantShelf to';
  return `${change} ${path}; the old file is saved as ${backup}. Restart ${host.label}.`;
}

/** Far larger than any settings file; parsing this much takes seconds. */
const MAX_BYTES = 10_000_000;

/** The file's text; null if it is missing. Throws a SettingsError if it is not a text file, or is too large. */
async function readIfPresent(path: string): Promise<string | null> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new SettingsError('it is not a file');
    if (file.size > MAX_BYTES) throw new SettingsError('it is larger than 10 MB');
    return UTF8.decode(await readFile(path));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new SettingsError('it is not valid UTF-8');
    }
    throw error;
  }
}

/** Removes the file again if it cannot be written in full. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Replaces a file atomically and keeps its permissions, since settings may hold secrets. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const { mode } = await stat(path);
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    // Set after creation, since the umask limits the mode of a new file.
    await chmod(temporary, mode);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
