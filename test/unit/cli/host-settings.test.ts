import { parse } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { addToSettings, renderSettings, SettingsError } from '../../../src/cli/host-settings.ts';
import { entryOf, HOSTS, type Host, settingsPath } from '../../../src/cli/hosts.ts';

const hosts: [string, Host][] = Object.entries(HOSTS);
const onLinux = (host: Host) => entryOf(host, 'linux');
const add = (text: string, host: Host) => addToSettings(text, host, onLinux(host));

function read(text: string, host: Host): unknown {
  return host.format === 'toml'
    ? JSON.parse(JSON.stringify(parseToml(text)))
    : parse(text, [], { allowTrailingComma: true });
}

describe.each(hosts)('%s', (_, host) => {
  it('gets one entry that starts the server, with or without settings of its own', () => {
    for (const empty of ['', '\n']) {
      const text = add(empty, host);
      expect(read(text, host)).toEqual({ [host.servers]: { quantshelf: onLinux(host) } });
      expect(read(renderSettings(host, onLinux(host)), host)).toEqual(read(text, host));
      expect(add(text, host)).toBe(text);
    }
    expect(JSON.stringify(onLinux(host))).toMatch(/"npx".*"-y","quantshelf"/);
  });

  it('starts npx through the shell of Windows', () => {
    expect(JSON.stringify(entryOf(host, 'win32'))).toMatch(/"cmd".*"\/c","npx","-y","quantshelf"/);
  });

  it('keeps its settings below the user', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(settingsPath(host, platform, '/people/ada')).toMatch(/people.ada/);
      expect(settingsPath(host, platform, '/people/ada')).not.toMatch(/[{}]/);
    }
  });
});

describe('settings in JSON', () => {
  const host = HOSTS.zed;

  it('keep their comments, their other servers and their form', () => {
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

  it('lose another entry of the same name, which is replaced', () => {
    const before = '{"context_servers": {"quantshelf": {"command": "old"}}, "z": 1}';
    expect(read(add(before, host), host)).toEqual({
      context_servers: { quantshelf: onLinux(host) },
      z: 1,
    });
  });

  it.each([
    ['{\n  "a": 1,\n  "b"\n}', 'line 4 is not valid JSON'],
    ['[]', 'not a JSON object'],
    ['"text"', 'not a JSON object'],
    ['{"context_servers": []}', '"context_servers" is not an object'],
    ['{"context_servers": "none"}', '"context_servers" is not an object'],
  ])('are refused as %j', (text, why) => {
    expect(() => add(text, host)).toThrow(SettingsError);
    expect(() => add(text, host)).toThrow(why);
  });
});

describe('settings in TOML', () => {
  const host = HOSTS.codex;

  it('keep every line they had', () => {
    const before = '# mine\nmodel = "o3" # fast\n\n[mcp_servers.other]\ncommand = "x"\n';
    const after = add(before, host);
    expect(after.startsWith(before)).toBe(true);
    expect(read(after, host)).toEqual({
      model: 'o3',
      mcp_servers: { other: { command: 'x' }, quantshelf: onLinux(host) },
    });
  });

  it.each([
    ['a = 1\nb =\n', 'line 2 is not valid TOML'],
    ['[mcp_servers.quantshelf]\ncommand = "old"\n', 'already; change that by hand'],
    ['mcp_servers = { other = { command = "x" } }\n', /not valid TOML|cannot be extended/],
  ])('are refused as %j', (text, why) => {
    expect(() => add(text, host)).toThrow(SettingsError);
    expect(() => add(text, host)).toThrow(why);
  });
});
