import { join } from 'node:path';

/** Where a host keeps its settings: `{home}` is the user's home directory. */
interface Files {
  linux: string;
  darwin: string;
  win32: string;
}

type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/** An MCP host: what its user calls it, and how it lists a server that it starts itself. */
export interface Host {
  label: string;
  files: Files;
  /** Name under which the host reads its settings as well, in the same folder. */
  otherName?: string;
  format: 'json' | 'toml';
  /** Key of the object that lists servers. */
  servers: string;
  entry(command: string, args: readonly string[]): Entry;
}

type Entry = { readonly [key: string]: Json };

/** The name under which hosts list the server. */
export const SERVER_NAME = 'quantshelf';
const plain: Host['entry'] = (command, args) => ({ command, args });
const typed: Host['entry'] = (command, args) => ({ type: 'stdio', command, args });
const everywhere = (path: string): Files => ({ linux: path, darwin: path, win32: path });

/** Under Windows `{appdata}` is the folder of roaming application data. */
export const HOSTS = {
  'claude-code': {
    label: 'Claude Code',
    files: everywhere('{home}/.claude.json'),
    format: 'json',
    servers: 'mcpServers',
    entry: typed,
  },
  'claude-desktop': {
    label: 'Claude Desktop',
    files: {
      linux: '{home}/.config/Claude/claude_desktop_config.json',
      darwin: '{home}/Library/Application Support/Claude/claude_desktop_config.json',
      win32: '{appdata}/Claude/claude_desktop_config.json',
    },
    format: 'json',
    servers: 'mcpServers',
    entry: plain,
  },
  cursor: {
    label: 'Cursor',
    files: everywhere('{home}/.cursor/mcp.json'),
    format: 'json',
    servers: 'mcpServers',
    entry: plain,
  },
  vscode: {
    label: 'VS Code',
    files: {
      linux: '{home}/.config/Code/User/mcp.json',
      darwin: '{home}/Library/Application Support/Code/User/mcp.json',
      win32: '{appdata}/Code/User/mcp.json',
    },
    format: 'json',
    servers: 'servers',
    entry: typed,
  },
  codex: {
    label: 'Codex',
    files: everywhere('{home}/.codex/config.toml'),
    format: 'toml',
    servers: 'mcp_servers',
    // Its own limit of 10 s may be short for the very first start.
    entry: (command, args) => ({ command, args, startup_timeout_sec: 60 }),
  },
  gemini: {
    label: 'Gemini CLI',
    files: everywhere('{home}/.gemini/settings.json'),
    format: 'json',
    servers: 'mcpServers',
    entry: plain,
  },
  opencode: {
    label: 'OpenCode',
    files: everywhere('{home}/.config/opencode/opencode.json'),
    otherName: 'opencode.jsonc',
    format: 'json',
    servers: 'mcp',
    // Its own limit of 5 s is short for the very first start.
    entry: (command, args) => ({
      type: 'local',
      command: [command, ...args],
      enabled: true,
      timeout: 60_000,
    }),
  },
  zed: {
    label: 'Zed',
    files: {
      linux: '{home}/.config/zed/settings.json',
      darwin: '{home}/.config/zed/settings.json',
      win32: '{appdata}/Zed/settings.json',
    },
    format: 'json',
    servers: 'context_servers',
    entry: plain,
  },
} as const satisfies Record<string, Host>;

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
export function entryOf(host: Host, platform: NodeJS.Platform) {
  const args = ['-y', 'quantshelf'];
  return platform === 'win32' ? host.entry('cmd', ['/c', 'npx', ...args]) : host.entry('npx', args);
}
