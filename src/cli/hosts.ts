import { isAbsolute, join } from 'node:path';
import hostFile from '../../data/hosts.json' with { type: 'json' };
import type { Config } from '../config.ts';

type Json = string | number | boolean | readonly string[];

/** An MCP host: what its user calls it, and how it lists a server that it starts itself. */
export interface Host {
  label: string;
  /** Where it keeps its settings. */
  files: { linux: string; darwin: string; win32: string };
  /** Name under which the host reads its settings as well, in the same folder. */
  otherName?: string;
  /** `json`, `toml` or `yaml`. */
  format: string;
  /** Key of the object that lists servers. */
  servers: string;
  /** What it lists; words in braces stand for the command. */
  entry: Readonly<Record<string, string | number | boolean>>;
}

/** What most hosts read, for one that we do not know. */
export const GENERIC_HOST = {
  format: 'json',
  servers: 'mcpServers',
  entry: { command: '{command}', args: '{args}' },
} as const satisfies Pick<Host, 'format' | 'servers' | 'entry'>;

/** The name under which hosts list the server. */
export const SERVER_NAME = 'quantshelf';

export const HOSTS = hostFile.hosts;

/** Folders in which hosts keep their settings unless the user has moved them, by name. */
export const FOLDERS: Readonly<Record<string, string>> = hostFile.folders;

/** The host that a user calls by this name, whatever its capitals; undefined if we do not know it. */
export function hostOf(name: string): Host | undefined {
  return Object.entries<Host>(HOSTS).find(([each]) => each === name.toLowerCase())?.[1];
}

/** Path of a host's settings on this machine; `moved` are the folders that the user has set. */
export function settingsPath(
  { files }: Pick<Host, 'files'>,
  platform: NodeJS.Platform,
  home: string,
  moved: Config['hostFolders'] = {},
): string {
  const path = files[platform === 'win32' || platform === 'darwin' ? platform : 'linux'];
  const placed = path.replace(/\{(\w+)\}/, (whole, name: string) => {
    const folder = moved[name];
    return folder !== undefined && isAbsolute(folder) ? folder : (FOLDERS[name] ?? whole);
  });
  return join(placed.replace('{home}', () => home));
}

/** What a host is to list under `SERVER_NAME`. Windows starts npx, a script, through its shell. */
export function entryOf(
  { entry }: Pick<Host, 'entry'>,
  platform: NodeJS.Platform,
): Readonly<Record<string, Json>> {
  const isWindows = platform === 'win32';
  const command = isWindows ? 'cmd' : 'npx';
  const args = [...(isWindows ? ['/c', 'npx'] : []), '-y', 'quantshelf'];
  const values: ReadonlyMap<unknown, Json> = new Map<unknown, Json>([
    ['{command}', command],
    ['{args}', args],
    ['{words}', [command, ...args]],
    ['{all}', ['*']],
  ]);
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, values.get(value) ?? value]),
  );
}
