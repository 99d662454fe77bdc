import { join } from 'node:path';
import hostFile from '../../data/hosts.json' with { type: 'json' };

type Json = string | number | boolean | readonly string[];

/** An MCP host: what its user calls it, and how it lists a server that it starts itself. */
export interface Host {
  label: string;
  /** Where it keeps its settings. */
  files: { linux: string; darwin: string; win32: string };
  /** Name under which the host reads its settings as well, in the same folder. */
  otherName?: string;
  /** `json` or `toml`. */
  format: string;
  /** Key of the object that lists servers. */
  servers: string;
  /** What it lists; words in braces stand for the command. */
  entry: Readonly<Record<string, string | number | boolean>>;
}

/** The name under which hosts list the server. */
export const SERVER_NAME = 'quantshelf';

export const HOSTS = hostFile.hosts;

export type HostName = keyof typeof HOSTS;

const NAMES = Object.keys(HOSTS);

export function isHostName(name: string): name is HostName {
  return NAMES.includes(name);
}

/** Path of a host's settings on this machine. */
export function settingsPath({ files }: Host, platform: NodeJS.Platform, home: string): string {
  const path = files[platform === 'win32' || platform === 'darwin' ? platform : 'linux'];
  return join(path.replace('{home}', home).replace('{appdata}', join(home, 'AppData', 'Roaming')));
}

/** What a host is to list under `SERVER_NAME`. Windows starts npx, a script, through its shell. */
export function entryOf(
  { entry }: Pick<Host, 'entry'>,
  platform: NodeJS.Platform,
): Readonly<Record<string, Json>> {
  const isWindows = platform === 'win32';
  const command = isWindows ? 'cmd' : 'npx';
  const args = [...(isWindows ? ['/c', 'npx'] : []), '-y', 'quantshelf'];
  const meant: ReadonlyMap<unknown, Json> = new Map<unknown, Json>([
    ['{command}', command],
    ['{args}', args],
    ['{words}', [command, ...args]],
  ]);
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, meant.get(value) ?? value]),
  );
}
