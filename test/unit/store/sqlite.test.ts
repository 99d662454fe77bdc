import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile } from '../../program.ts';
import { temporaryDirectory } from '../../temporary.ts';

const SCRIPT = `
  import(process.argv[1]).then(
    ({ Database, loadVectorExtension: load }) => console.log(load(new Database(':memory:')).message),
    ({ cause }) => console.log(cause),
  );`;
/** What sqlite.ts needs at run time; `bindings` finds the library of better-sqlite3 12. */
const PACKAGES = /^(better-sqlite3|sqlite-vec|bindings$|file-uri-to-path$)/;

const CHANGES = {
  empty: () => Buffer.alloc(0),
  'cut in half': (library: Buffer) => library.subarray(0, library.length / 2),
  'one byte short': (library: Buffer) => library.subarray(0, -1),
  'for macOS': (library: Buffer) => library.fill('cffaedfe', 'hex'),
};

// Other systems' loaders reject a truncated library themselves.
it.skipIf(process.platform !== 'linux').each([
  ['better-sqlite3', 'empty', 'file too short'],
  ['better-sqlite3', 'cut in half', 'file too short'],
  ['better-sqlite3', 'one byte short', 'file too short'],
  ['better-sqlite3', 'for macOS', 'invalid ELF header'],
  ['sqlite-vec', 'cut in half', 'file too short'],
] as const)(
  'a native library of %s that is %s is reported as "%s", and does not kill the process',
  async (name, change, reason) => {
    const directory = temporaryDirectory();
    const modules = join(directory, 'node_modules');
    const filter = (path: string) => !/[\\/](deps|obj\.target)$/.test(path);
    for (const module of readdirSync('node_modules').filter((entry) => PACKAGES.test(entry))) {
      cpSync(join('node_modules', module), join(modules, module), { recursive: true, filter });
    }
    for (const file of readdirSync(modules, { recursive: true, encoding: 'utf8' })) {
      if (!file.startsWith(name) || !/\.(node|so)$/.test(file)) continue;
      writeFileSync(join(modules, file), CHANGES[change](readFileSync(join(modules, file))));
    }
    const program = await compile('src/store/sqlite.ts', directory);
    const child = spawnSync(process.execPath, ['-e', SCRIPT, program], { encoding: 'utf8' });
    expect(child).toMatchObject({ signal: null, stdout: expect.stringMatching(`: ${reason}\n$`) });
  },
);
