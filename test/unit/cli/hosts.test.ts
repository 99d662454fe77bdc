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

describe.each(hosts)('%s', (_, host) => {
  it('the host gets one entry that starts the server, with or without settings of its own', () => {
    for (const empty of ['', '\n']) {
      const text = add(empty, host);
      expect(read(text, host)).toEqual({ [host.servers]: { quantshelf: onLinux(host) } });
      expect(read(renderSettings(host, onLinux(host)), host)).toEqual(read(text, host));
      expect(add(text, host)).toBe(text);
    }
    expect(JSON.stringify(onLinux(host))).toMatch(/"npx".*"-y","quantshelf"/);
  });

  it('the host starts npx through the shell on Windows', () => {
    expect(JSON.stringify(entryOf(host, 'win32'))).toMatch(/"cmd".*"\/c","npx","-y","quantshelf"/);
  });

  it("the host keeps its settings in the user's folder", () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(settingsPath(host, platform, '/people/ada')).toMatch(/people.ada/);
      expect(settingsPath(host, platform, '/people/ada')).not.toMatch(/[{}]/);
    }
  });
});

it.each([
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
] as const)('%s reads its settings where %s says', (name, variable, rest) => {
  const pathWith = (value: string) => {
    const { hostFolders } = readConfig({ [variable]: value });
    return settingsPath(HOSTS[name], 'linux', '/people/ada', hostFolders);
  };
  expect(pathWith('/else/$& where')).toBe(`/else/$& where/${rest}`);
  const usual = settingsPath(HOSTS[name], 'linux', '/people/ada');
  expect([pathWith(''), pathWith('relative')]).toEqual([usual, usual]);
});

it('settings on Windows are in the folder for application data', () => {
  const { hostFolders } = readConfig({ APPDATA: '/roaming' });
  expect(settingsPath(HOSTS.zed, 'win32', '/people/ada', hostFolders)).toBe(
    '/roaming/Zed/settings.json',
  );
});

it.each(hosts)('the settings of %s keep their byte order mark', (_, host) => {
  const bom = '\uFEFF';
  const before = { toml: 'a = 1\n', yaml: 'a: 1\n' }[host.format] ?? '{\n  "a": 1\n}\n';
  expect(add(bom + before, host)).toBe(bom + add(before, host));
  expect(add(bom, host)).toBe(bom + add('', host));
  const listed = bom + add(before, host);
  expect(add(listed, host)).toBe(listed);
});

describe('settings in JSON', () => {
  const host = HOSTS.zed;

  it('settings in JSON keep their comments, other servers and formatting', () => {
    const before =
      '// mine\r\n{\r\n\t"theme": "One", // dark\r\n\t"context_servers": {\r\n\t\t/* theirs */\r\n\t\t"other": {\r\n\t\t\t"command": "x"\r\n\t\t},\r\n\t},\r\n}\r\n';
    const after = add(before, host);
    expect(after).toMatch(/^\/\/ mine\r\n\{\r\n\t"theme": "One", \/\/ dark\r\n/);
    expect(after).toContain('/* theirs */');
    expect(after).not.toMatch(/[^\r]\n/);
    expect(read(after, host)).toEqual({
      theme: 'One',
      context_servers: { other: { command: 'x' }, quantshelf: onLinux(host) },
    });
  });

  it("settings in JSON get a new command in an existing entry, and keep the user's other additions", () => {
    const before =
      '{"context_servers": {"quantshelf": {"command": "old", "env": {"FRED_API_KEY": "k"}}}, "z": 1}';
    const after = add(before, host);
    expect(read(after, host)).toEqual({
      context_servers: { quantshelf: { ...onLinux(host), env: { FRED_API_KEY: 'k' } } },
      z: 1,
    });
    expect(add(after, host)).toBe(after);
  });

  it.each(['  ', '    ', '\t'])('settings in JSON keep their indentation of %j', (indent) => {
    for (const theirs of [{ other: { command: 'x' } }, {}, undefined]) {
      const before = JSON.stringify({ theme: 'One', context_servers: theirs }, null, indent);
      const context_servers = { ...theirs, quantshelf: onLinux(host) };
      const after = JSON.stringify({ theme: 'One', context_servers }, null, indent);
      expect(add(before, host)).toBe(after);
    }
  });

  it.each([
    ['the list', '{"context_servers": {"a": {}}, "context_servers": {"b": {}}}'],
    ['the list, first in another form', '{"context_servers": [], "context_servers": {"b": {}}}'],
    ['the entry', '{"context_servers": {"quantshelf": {"x": 1}, "quantshelf": {"x": 2}}}'],
  ])('settings in JSON are refused if they name %s twice, since hosts read the last', (_, text) => {
    expect(() => add(text, host)).toThrow(SettingsError);
    expect(() => add(text, host)).toThrow('more than once');
  });
});

describe('settings in TOML', () => {
  const host = HOSTS.codex;

  it('settings in TOML keep every existing line', () => {
    const before = '# mine\nmodel = "o3" # fast\n\n[mcp_servers.other]\ncommand = "x"\n';
    const after = add(before, host);
    expect(after.startsWith(before)).toBe(true);
    expect(read(after, host)).toEqual({
      model: 'o3',
      mcp_servers: { other: { command: 'x' }, quantshelf: onLinux(host) },
    });
  });

  it('settings in TOML keep Windows line breaks', () => {
    const before = '[mcp_servers.other]\r\ncommand = "x"\r\n';
    const after = add(before, host);
    expect(after.startsWith(before)).toBe(true);
    expect(after).not.toMatch(/[^\r]\n/);
    expect(add(after, host)).toBe(after);
  });

  it("settings in TOML count as complete if the user added to the server's table", () => {
    const text = `${add('', host)}\n[mcp_servers.quantshelf.env]\nFRED_API_KEY = "k"\n`;
    expect(add(text, host)).toBe(text);
  });

  const OLD = 'command = "node" # mine\nargs = [\n  "old.js", # older\n]\n';
  it.each([
    ['a table', `[mcp_servers.quantshelf] # the shelf\n${OLD}`, {}],
    [
      'one with an inline env',
      `[mcp_servers.quantshelf]\n${OLD}env = { K = "v" } # key\n`,
      { K: 'v' },
    ],
    [
      'one with a table env',
      `[mcp_servers.quantshelf]\n${OLD}\n# keys\n[mcp_servers.quantshelf.env]\nK = "v" # key\n`,
      { K: 'v' },
    ],
    [
      'an inline table',
      '[mcp_servers]\nquantshelf = { command = "x", env = { K = "v" } } # mine\n',
      { K: 'v' },
    ],
    ['dotted names', '[mcp_servers]\nquantshelf.command = "x" # mine\n', {}],
    ['an inline list', 'mcp_servers = { quantshelf = { command = "x" } } # mine\n', {}],
  ])(
    'settings in TOML update an older entry written as %s, and keep its comments and env',
    (_, before, env) => {
      const rest =
        '\n[tui] # theirs\nbig = 9007199254740993\nday = 2026-11-28\nhex = 0x1F # as it was\n';
      const first = 'model = "o3" # fast\n\n';
      const after = add(first + before + rest, host);
      expect(after.startsWith(first)).toBe(true);
      expect(after.endsWith(rest)).toBe(true);
      for (const comment of before.match(/#.*$/gm) ?? []) expect(after).toContain(comment);
      const { mcp_servers } = Object(parseToml(after));
      const kept = Object.keys(env).length > 0 ? { env } : {};
      expect(JSON.parse(JSON.stringify(mcp_servers))).toEqual({
        quantshelf: { ...onLinux(host), ...kept },
      });
      expect(add(after, host)).toBe(after);
      const extend = (text: string) => addToSettings(text, host, onLinux(host));
      expect([extend(first + before).isUpdate, extend(first).isUpdate]).toEqual([true, false]);
    },
  );

  it('settings in TOML accept another server in an inline list', () => {
    const after = add('mcp_servers = { other = { command = "x" } } # mine\n', host);
    expect(after).toContain('# mine');
    expect(read(after, host)).toEqual({
      mcp_servers: { other: { command: 'x' }, quantshelf: onLinux(host) },
    });
  });
});

describe('settings in YAML', () => {
  const host = HOSTS.goose;

  it('settings in YAML keep their comments and other servers', () => {
    const before =
      '# mine\nGOOSE_MODEL: "x" # fast\n\nextensions:\n  # theirs\n  developer:\n    enabled: true\n    type: builtin\n';
    const after = add(before, host);
    expect(after.startsWith(before)).toBe(true);
    expect(read(after, host)).toEqual({
      GOOSE_MODEL: 'x',
      extensions: { developer: { enabled: true, type: 'builtin' }, quantshelf: onLinux(host) },
    });
    expect(add(after, host)).toBe(after);
  });

  it("settings in YAML keep the user's additions to an older entry", () => {
    const after = add('extensions:\n  quantshelf:\n    cmd: old\n    envs: { A: b }\n', host);
    expect(read(after, host)).toEqual({
      extensions: { quantshelf: { ...onLinux(host), envs: { A: 'b' } } },
    });
  });
});

const { zed, codex, goose } = HOSTS;
it.each([
  [zed, '{\n  "a": 1,\n  "b"\n}', 'line 4 is not valid JSON'],
  [zed, '[]', 'not an object'],
  [zed, '"text"', 'not an object'],
  [zed, '{"context_servers": []}', '"context_servers" is not an object'],
  [zed, '{"context_servers": "none"}', '"context_servers" is not an object'],
  [codex, 'a = 1\nb =\n', 'line 2 is not valid TOML'],
  [codex, '[[mcp_servers]]\na = 1\n', '"mcp_servers" is not an object'],
  [goose, 'a: 1\nb: [\n', 'is not valid YAML'],
  [goose, 'a: 1\na: 2\n', 'is not valid YAML'],
  [goose, '- a\n', 'not an object'],
  [goose, 'extensions: []\n', '"extensions" is not an object'],
])('settings of $label are refused as %j', (host, text, why) => {
  expect(() => add(text, host)).toThrow(SettingsError);
  expect(() => add(text, host)).toThrow(why);
});
