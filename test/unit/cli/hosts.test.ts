import { parse as parseToml } from '@decimalturn/toml-patch';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import {
  addToSettings,
  entryOf,
  HOSTS,
  type Host,
  renderSettings,
  SettingsError,
  settingsPath,
} from '../../../src/cli/hosts.ts';
import { readConfig } from '../../../src/config.ts';

const hosts: [string, Host][] = Object.entries(HOSTS);
const onLinux = (host: Host) => entryOf(host, 'linux');
const add = (text: string, host: Host) => addToSettings(text, host, onLinux(host)).text;

function read(text: string, host: Host): unknown {
  if (host.format === 'yaml') return parseYaml(text);
  return host.format === 'toml'
    ? JSON.parse(JSON.stringify(parseToml(text)))
    : parse(text, [], { allowTrailingComma: true });
}

describe.each(hosts)('the host %s', (_, host) => {
  it('gets one entry, which starts the server, in an empty settings file', () => {
    for (const empty of ['', '\n']) {
      const text = add(empty, host);
      expect(read(text, host)).toEqual({ [host.servers]: { quantshelf: onLinux(host) } });
      expect(read(renderSettings(host, onLinux(host)), host)).toEqual(read(text, host));
      expect(add(text, host)).toBe(text);
    }
    expect(JSON.stringify(onLinux(host))).toMatch(/"npx".*"-y","quantshelf"/);
  });

  it('starts npx through the shell on Windows', () => {
    expect(JSON.stringify(entryOf(host, 'win32'))).toMatch(/"cmd".*"\/c","npx","-y","quantshelf"/);
  });

  it("keeps its settings in the user's folder", () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(settingsPath(host, platform, '/people/ada')).toMatch(/people.ada/);
      expect(settingsPath(host, platform, '/people/ada')).not.toMatch(/[{}]/);
    }
  });
});

it.each<[keyof typeof HOSTS, string, string, NodeJS.Platform?]>([
  ['claude-code', 'CLAUDE_CONFIG_DIR', '.claude.json'],
  ['claude-desktop', 'XDG_CONFIG_HOME', 'Claude/claude_desktop_config.json'],
  ['vscode', 'XDG_CONFIG_HOME', 'Code/User/mcp.json'],
  ['codex', 'CODEX_HOME', 'config.toml'],
  ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ['opencode', 'XDG_CONFIG_HOME', 'opencode/opencode.json'],
  ['zed', 'XDG_CONFIG_HOME', 'zed/settings.json'],
  ['copilot', 'COPILOT_HOME', 'mcp-config.json'],
  ['cline', 'CLINE_DIR', 'data/settings/cline_mcp_settings.json'],
  ['goose', 'XDG_CONFIG_HOME', 'goose/config.yaml'],
  ['zed', 'APPDATA', 'Zed/settings.json', 'win32'],
])(
  '%s reads its settings from the folder that %s sets, unless that variable is empty or relative',
  (name, variable, rest, platform = 'linux') => {
    const pathWith = (value: string) => {
      const { hostFolders } = readConfig({ [variable]: value });
      return settingsPath(HOSTS[name], platform, '/people/ada', hostFolders);
    };
    expect(pathWith('/else/$& where')).toBe(`/else/$& where/${rest}`);
    const usual = settingsPath(HOSTS[name], platform, '/people/ada');
    expect([pathWith(''), pathWith('relative')]).toEqual([usual, usual]);
  },
);

it.each(hosts)('the settings of %s keep their byte order mark', (_, host) => {
  const bom = '\uFEFF';
  const before = { toml: 'a = 1\n', yaml: 'a: 1\n' }[host.format] ?? '{\n  "a": 1\n}\n';
  expect(add(bom + before, host)).toBe(bom + add(before, host));
  expect(add(bom, host)).toBe(bom + add('', host));
  const listed = bom + add(before, host);
  expect(add(listed, host)).toBe(listed);
});

const { zed, codex, goose } = HOSTS;
const EXISTING = {
  json: '// mine\r\n{\r\n\t"a": 1, // fast\r\n\t"context_servers": {\r\n\t\t/* theirs */\r\n\t\t"other": {\r\n\t\t\t"command": "x"\r\n\t\t},\r\n\t},\r\n}\r\n',
  toml: '# mine\r\na = 1 # fast\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
  inline: 'a = 1\nmcp_servers = { other = { command = "x" } } # mine\n',
  yaml: '# mine\na: 1 # fast\n\nextensions:\n  # theirs\n  other:\n    command: x\n',
};

it.each([
  ['JSON', zed, EXISTING.json, '// mine\r\n{\r\n\t"a": 1, // fast\r\n'],
  ['TOML', codex, EXISTING.toml, EXISTING.toml],
  ['TOML with an inline list', codex, EXISTING.inline, 'a = 1\n'],
  ['YAML', goose, EXISTING.yaml, EXISTING.yaml],
])('settings in %s keep comments, line breaks and other servers', (_, host, before, start) => {
  const after = add(before, host);
  expect(after.startsWith(start)).toBe(true);
  expect(after).toMatch(/# mine|\/\* theirs \*\//);
  if (before.includes('\r')) expect(after).not.toMatch(/[^\r]\n/);
  const servers = { other: { command: 'x' }, quantshelf: onLinux(host) };
  expect(read(after, host)).toEqual({ a: 1, [host.servers]: servers });
  expect(add(after, host)).toBe(after);
});

it.each([
  [zed, '{"context_servers": {"quantshelf": {"command": "old", "env": {"K": "v"}}}, "z": 1}'],
  [goose, 'z: 1\nextensions:\n  quantshelf:\n    cmd: old\n    env: { K: v }\n'],
])(
  "an existing entry in the settings of $label gets the new command, and keeps the user's additions",
  (host, before) => {
    const after = add(before, host);
    const quantshelf = { ...onLinux(host), env: { K: 'v' } };
    expect(read(after, host)).toEqual({ z: 1, [host.servers]: { quantshelf } });
    expect(add(after, host)).toBe(after);
  },
);

it.each(['  ', '    ', '\t'])('settings in JSON keep their indentation of %j', (indent) => {
  for (const theirs of [{ other: { command: 'x' } }, {}, undefined]) {
    const before = JSON.stringify({ theme: 'One', context_servers: theirs }, null, indent);
    const context_servers = { ...theirs, quantshelf: onLinux(zed) };
    const after = JSON.stringify({ theme: 'One', context_servers }, null, indent);
    expect(add(before, zed)).toBe(after);
  }
});

it("settings in TOML do not change if the user has only added a table to the server's entry", () => {
  const text = `${add('', codex)}\n[mcp_servers.quantshelf.env]\nFRED_API_KEY = "k"\n`;
  expect(add(text, codex)).toBe(text);
});

const OLD = 'command = "node" # mine\nargs = [\n  "old.js", # older\n]\n';
const TABLE = `[mcp_servers.quantshelf]\n${OLD}`;
it.each([
  ['a table', `[mcp_servers.quantshelf] # the shelf\n${OLD}`],
  ['a table with an inline env', `${TABLE}env = { K = "v" } # key\n`],
  [
    'a table with a table for env',
    `${TABLE}\n# keys\n[mcp_servers.quantshelf.env]\nK = "v" # key\n`,
  ],
  ['an inline table', '[mcp_servers]\nquantshelf = { command = "x", env = { K = "v" } } # mine\n'],
  ['dotted names', '[mcp_servers]\nquantshelf.command = "x" # mine\n'],
  ['an inline list', 'mcp_servers = { quantshelf = { command = "x" } } # mine\n'],
])(
  'an older entry written as %s in TOML settings is updated, and keeps its comments and any env',
  (_, before) => {
    const rest =
      '\n[tui] # theirs\nbig = 9007199254740993\nday = 2026-11-28\nhex = 0x1F # as it was\n';
    const first = 'model = "o3" # fast\n\n';
    const after = add(first + before + rest, codex);
    expect(after.startsWith(first)).toBe(true);
    expect(after.endsWith(rest)).toBe(true);
    for (const comment of before.match(/#.*$/gm) ?? []) expect(after).toContain(comment);
    const env = before.includes('"v"') ? { env: { K: 'v' } } : {};
    const { mcp_servers } = Object(parseToml(after));
    expect(JSON.parse(JSON.stringify(mcp_servers))).toEqual({
      quantshelf: { ...onLinux(codex), ...env },
    });
    expect(add(after, codex)).toBe(after);
    const extend = (text: string) => addToSettings(text, codex, onLinux(codex));
    expect([extend(first + before).isUpdate, extend(first).isUpdate]).toEqual([true, false]);
  },
);

const TWICE = 'more than once';
it.each([
  ['zed', '{"context_servers": {"a": {}}, "context_servers": {"b": {}}}', TWICE],
  ['zed', '{"context_servers": [], "context_servers": {"b": {}}}', TWICE],
  ['zed', '{"context_servers": {"quantshelf": {"x": 1}, "quantshelf": {"x": 2}}}', TWICE],
  ['zed', '{\n  "a": 1,\n  "b"\n}', 'line 4 is not valid JSON'],
  ['zed', '[]', 'not an object'],
  ['zed', '"text"', 'not an object'],
  ['zed', '{"context_servers": []}', '"context_servers" is not an object'],
  ['zed', '{"context_servers": "none"}', '"context_servers" is not an object'],
  ['codex', 'a = 1\nb =\n', 'line 2 is not valid TOML'],
  ['codex', '[[mcp_servers]]\na = 1\n', '"mcp_servers" is not an object'],
  ['goose', 'a: 1\na: 2\n', 'is not valid YAML'],
  ['goose', '- a\n', 'not an object'],
  ['goose', 'extensions: []\n', '"extensions" is not an object'],
] as const)('%s settings that read %j are refused with "%s"', (name, text, why) => {
  expect(() => add(text, HOSTS[name])).toThrow(SettingsError);
  expect(() => add(text, HOSTS[name])).toThrow(why);
});
