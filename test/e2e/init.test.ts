import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { HOSTS } from '../../src/cli/hosts.ts';
import { runHere } from './in-process.ts';
import { bin, environment, makeHome, node, quantshelf, runProcess } from './support.ts';

/** Runs `quantshelf init` for a user whose home directory is `user`. */
const init = (user: string, ...words: string[]) => {
  const env = { HOME: user, USERPROFILE: user, FRED_API_KEY: 'secret' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return runHere(['init', ...words], makeHome(), env);
};
afterEach(() => void vi.unstubAllEnvs());

it('init lists the hosts or prints settings, and writes nothing without --write and a known host', async () => {
  const { code, stdout } = await init(makeHome());
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(Object.keys(HOSTS).length);
  const user = makeHome();
  const servers = { quantshelf: { command: 'npx', args: ['-y', 'quantshelf'] } };
  const unknown = await init(user, 'emacs');
  const existing = await init(user, 'cursor');
  for (const printed of [unknown, existing]) {
    expect(printed.code).toBe(0);
    expect(JSON.parse(printed.stdout)).toEqual({ mcpServers: servers });
    expect(printed.stderr).toMatch(
      /from your shell \(FRED_API_KEY, .*QUANTSHELF_HOME, .*add them to/,
    );
    expect(printed.stderr).not.toContain('secret');
  }
  expect(unknown.stderr).toContain('claude-code');
  expect(existing.stderr).toContain(join(user, '.cursor', 'mcp.json'));
  expect(existing.stderr).toContain('`quantshelf init cursor --write`');
  expect(readdirSync(user)).toEqual([]);
  expect(await init(makeHome(), 'emacs', '--write')).toMatchObject({ code: 1 });
  const unnamed = await init(makeHome(), '--write');
  const stderr = 'Name a host, as in `quantshelf init claude-code --write`:\n';
  expect(unnamed).toMatchObject({ code: 2, stdout, stderr });
});

it('init --write extends opencode.jsonc if there is no opencode.json, and keeps its comments', async () => {
  const user = makeHome();
  const folder = join(user, '.config', 'opencode');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'opencode.jsonc'), '{\n  // mine\n  "model": "x"\n}\n');
  expect(await init(user, 'opencode', '--write')).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).not.toContain('opencode.json');
  const text = readFileSync(join(folder, 'opencode.jsonc'), 'utf8');
  expect(text).toContain('// mine');
  expect(text).toContain('"quantshelf"');
  writeFileSync(join(folder, 'opencode.json'), '{}');
  const { stderr } = await init(user, 'opencode', '--write');
  expect(stderr).toContain(join(folder, 'opencode.json;'));
});

it('init --write adds its entry once, after a backup, and keeps permissions and links', async () => {
  const user = makeHome();
  const [real, path] = [join(user, 'dotfiles.json'), join(user, '.claude.json')];
  const before = '{\n  // secrets\n  "token": "abc"\n}\n';
  writeFileSync(real, before);
  chmodSync(real, 0o600);
  symlinkSync(real, path);
  const { code, stdout, stderr } = await init(user, 'claude-code', '--write');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const after = readFileSync(path, 'utf8');
  expect(after).toContain('// secrets');
  expect(after).toContain('"quantshelf"');
  expect(statSync(real).mode & 0o777).toBe(0o600);
  expect(readFileSync(real, 'utf8')).toBe(after);
  const backups = () => readdirSync(user).filter((name) => name.endsWith('.backup'));
  expect(backups()).toHaveLength(1);
  const backup = join(user, backups()[0] ?? '');
  expect(stderr).toContain(backup);
  expect(readFileSync(backup, 'utf8')).toBe(before);
  expect(statSync(backup).mode & 0o777).toBe(0o600);

  const again = await init(user, 'claude-code', '--write');
  expect(again.stderr).toContain('already');
  expect(readFileSync(path, 'utf8')).toBe(after);
  expect(backups()).toHaveLength(1);
});

it('init --write creates a settings file that is missing', async () => {
  const user = makeHome();
  expect(await init(user, 'codex', '--write')).toMatchObject({ code: 0 });
  expect(readFileSync(join(user, '.codex', 'config.toml'), 'utf8')).toContain(
    '[mcp_servers.quantshelf]',
  );
});

it.skipIf(process.platform === 'win32').each([
  [
    'broken JSON',
    'line 1 is not valid JSON (ValueExpected)',
    (path: string) => writeFileSync(path, '{ "a": '),
  ],
  [
    'text in another encoding',
    'it is not valid UTF-8',
    (path: string) => writeFileSync(path, Buffer.from('{ "a": "M\xfcller" }', 'latin1')),
  ],
  ['a pipe', 'it is not a file', (path: string) => void spawnSync('mkfifo', [path])],
  [
    'a file of 50 MB',
    'it is larger than 10 MB',
    (path: string) => writeFileSync(path, Buffer.alloc(50_000_000, '[')),
  ],
])('init --write does not change %s, and prints the entry to add', async (_, why, make) => {
  const user = makeHome();
  mkdirSync(join(user, '.cursor'));
  const path = join(user, '.cursor', 'mcp.json');
  make(path);
  const { mtimeMs, size } = statSync(path);
  expect(await init(user, 'cursor', '--write')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"quantshelf"'),
    stderr: `${path} was not changed: ${why}.\nFix the file, or add this by hand:\n`,
  });
  expect(statSync(path)).toMatchObject({ mtimeMs, size });
  expect(readdirSync(join(user, '.cursor'))).toEqual(['mcp.json']);
});

it('init fails if the user has no home directory, and names HOME', async (test) => {
  const refused = {
    code: 2,
    stderr: 'HOME must be set to your home directory, as an absolute path.\n',
  };
  const homeless = quantshelf(['init', 'cursor', '--write'], makeHome(), { HOME: '' });
  expect(await homeless).toMatchObject(refused);
  if (process.getuid?.() !== 0) test.skip('only the superuser can become a user without a home');
  const { HOME: _, ...env } = environment(makeHome());
  const stranger = { env, uid: 61_234, gid: 61_234 };
  expect(await runProcess(node, [bin, 'init', 'cursor'], stranger)).toMatchObject(refused);
});

it('a server started at a terminal points the user to `quantshelf init` in two lines', async (test) => {
  const { code } = await runProcess('sh', ['-c', 'script --version']).catch(() => ({ code: 1 }));
  if (process.platform !== 'linux' || code !== 0)
    test.skip('there is no `script` to make a terminal');
  const command = `(sleep 2; kill -INT $$) & exec "${node}" "${bin}"`;
  const { stdout } = await runProcess('script', ['-qec', `sh -c '${command}'`, '/dev/null'], {
    env: environment(makeHome()),
    timeout: 60_000,
  });
  const lines = stdout
    .trim()
    .split(/\r?\n/)
    .filter((line) => line.includes('`') || line.includes('MCP'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('MCP server');
  expect(lines[1]).toContain('`quantshelf init`');
});
