import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome, runProcess } from '../e2e/support.ts';
import { type Registry, startRegistry } from '../stand-ins/registry.ts';
import { findPrinted } from './printed.ts';
import { NODE_PACKAGE } from './programs.ts';
import {
  findPrograms,
  findRegistry,
  INSTALL_MS,
  manifest,
  NO_REGISTRY,
  pack,
  shell,
} from './support.ts';

/*
 * npm installs better-sqlite3 13 on any Node 22, which needs 22.14. The npm is the one of that Node.
 * The command compiles SQLite for two minutes of processor time, so it is tried before a release only.
 */
describe.skipIf(process.env.LONG_TESTS !== '1')('Node 22.12, with LONG_TESTS=1', () => {
  const folder = makeHome();
  let registry: Registry | null = null;
  let path: string | null = null;

  beforeAll(async () => {
    const upstream = await findRegistry();
    if (upstream === null) return;
    registry = await startRegistry((await pack()).file, upstream);
    path = await findPrograms({ node: 22.12, npm: 10 });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  }, INSTALL_MS);

  afterAll(() => registry?.close());

  const sh = (line: string) =>
    runProcess('sh', ['-c', line], {
      cwd: folder,
      timeoutMs: INSTALL_MS - 60_000,
      env: {
        ...shell({
          npm_config_cache: join(folder, 'cache'),
          npm_config_registry: registry?.url ?? '',
          npm_config_nodedir: join(path ?? '', '..', NODE_PACKAGE),
        }),
        PATH: [path ?? '', process.env.PATH ?? ''].join(delimiter),
      },
    });

  it('is told a command that works on it', { timeout: INSTALL_MS }, async (test) => {
    if (path === null) test.skip(NO_REGISTRY);
    const refused = await sh('npx -y quantshelf status');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const [, command = ''] =
      /^SQLite cannot be loaded on Node 22\.12\.0\. .*`(.*)`.*\nbetter-sqlite3: version 13 .*\n$/.exec(
        refused.stderr,
      ) ?? [];
    expect(findPrinted().launchers).toContain(command);
    const started = await sh(`${command} status`);
    expect(started.code, started.stderr).toBe(0);
    expect(started.stdout).toContain(`quantshelf ${manifest.version}\n`);
    expect(started.stdout).toMatch(/^papers +\d+/m);
  });
});
