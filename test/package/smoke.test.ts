import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import {
  type Env,
  environment,
  makeHome,
  modelDir,
  root,
  runProcess,
  success,
} from '../e2e/support.ts';

/** better-sqlite3 is compiled where no prebuilt binary can be had: a minute or two on two cores. */
const INSTALL_MS = 900_000;
const REACH_MS = 60_000;
const TRIES = 2;
/** What an install step of onnxruntime-node reads: its CPU binaries are in the package already. */
const CPU_ONLY = { ONNXRUNTIME_NODE_INSTALL: 'skip', ONNXRUNTIME_NODE_INSTALL_CUDA: 'skip' };

const manifest = z
  .object({ version: z.string(), allowScripts: z.record(z.string(), z.boolean()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

const packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string(), size: z.number() })),
  }),
]);
type Packed = z.output<typeof packed>[0];

/** A user's shell: nothing of the npm that runs these tests. */
function shell(extra: Env = {}): Record<string, string> {
  const entries = Object.entries(environment(makeHome(), extra));
  const ofOurs = /^npm_(package|lifecycle|config_(engine|onnx|save|local|allow|ignore))/i;
  return Object.fromEntries(entries.filter(([name]) => !ofOurs.test(name)));
}

/** Packs the build as it is: the prepare script would build again under the other tests' feet. */
async function pack(place: string): Promise<Packed> {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
  const { code, stdout, stderr } = await runProcess('npm', words, { env: shell() });
  if (code !== 0) throw new Error(stderr);
  return packed.parse(JSON.parse(stdout))[0];
}

async function isRegistryHere(): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const words = ['view', 'better-sqlite3', 'version'];
    const ended = await runProcess('npm', words, { env: shell(), timeoutMs: REACH_MS / TRIES });
    if (ended.code === 0) return true;
  }
  return false;
}

function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

function report(line: string): void {
  process.stdout.write(`package: ${line}\n`);
}

const place = makeHome();
let tarball: Packed;

beforeAll(async () => {
  tarball = await pack(place);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  report(`${megabytes(tarball.size)} packed, ${megabytes(tarball.unpackedSize)} unpacked`);
});

describe('the tarball', () => {
  it('carries the program, the starter shelf and the papers, and nothing else', () => {
    const paths = tarball.files.map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/quantshelf.js',
      'package.json',
    ]);
    expect(paths.filter((path) => path.startsWith('dist/')).sort()).toEqual(
      readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .sort(),
    );
    expect(paths).toContain('dist/starter.sqlite');
    expect(paths).toContain('dist/page/index.html');
    for (const path of paths) {
      expect(path).not.toMatch(/\.(ts|map|tmp|building)$|sqlite-|(^|\/)(test|src|data|scripts)\//);
    }
  });

  it('holds no path of the machine that built it', () => {
    for (const { path } of tarball.files) {
      const content = readFileSync(join(root, path));
      for (const folder of ['src', 'dist', 'node_modules', 'data', 'scripts']) {
        expect(content.includes(join(root, folder)), `${path} names ${folder}`).toBe(false);
      }
    }
  });
});

describe('installed in an empty folder', () => {
  const folder = join(place, 'empty folder');
  const command = join(folder, 'node_modules', '.bin', 'quantshelf');
  let here = false;

  beforeAll(async () => {
    here = await isRegistryHere();
    if (!here) return;
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, allowScripts: manifest.allowScripts }),
    );
    const { code, stderr } = await runProcess('npm', ['install', join(place, tarball.filename)], {
      cwd: folder,
      env: shell(CPU_ONLY),
      timeoutMs: INSTALL_MS - 30_000,
    });
    if (code !== 0) throw new Error(`npm install failed: ${stderr.slice(-4000)}`);
    report(`${(bytesUnder(folder) / 1e6).toFixed(0)} MB installed`);
  }, INSTALL_MS);

  const run = (...words: string[]) =>
    runProcess(command, words, {
      cwd: folder,
      env: shell({ QUANTSHELF_MODEL_DIR: modelDir ?? '' }),
    });

  it('has everything it runs on within the folder', (test) => {
    if (!here) test.skip('the registry cannot be reached');
    for (const name of ['better-sqlite3', 'sqlite-vec', '@huggingface/transformers']) {
      expect(readdirSync(join(folder, 'node_modules', name))).toContain('package.json');
    }
  });

  it('tells its version', async (test) => {
    if (!here) test.skip('the registry cannot be reached');
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });

  it.for(operations)('answers the example of $name', async (row, test) => {
    if (!here) test.skip('the registry cannot be reached');
    const { code, stdout, stderr } = await run('call', row.name, JSON.stringify(row.example));
    expect(code, stderr).toBe(0);
    expect(success.parse(JSON.parse(stdout)).meta.creditsUsed).toBe(row.price);
  });

  it('lists its tools to an MCP client', async (test) => {
    if (!here) test.skip('the registry cannot be reached');
    const client = new Client({ name: 'smoke', version: '1' });
    await client.connect(new StdioClientTransport({ command, cwd: folder, env: shell() }));
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  });

  it('finds nothing wrong with itself', async (test) => {
    if (!here || modelDir === null) test.skip('the registry or the model is not here');
    const { stdout } = await run('doctor', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });
});
