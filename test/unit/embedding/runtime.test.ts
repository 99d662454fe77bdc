import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelFetchError } from '../../../src/embedding/fetch-once.ts';
import { type FetchRuntimeOptions, fetchRuntime } from '../../../src/embedding/fetch-runtime.ts';
import { NpmError } from '../../../src/embedding/npm.ts';
import {
  findRuntime,
  isPlatformSupported,
  RUNTIME,
  type Runtime,
  runtimeDirectory,
} from '../../../src/embedding/runtime.ts';
import { withProcessLock } from '../../../src/store/lock.ts';
import { createHttpClient } from '../../../src/upstream/client.ts';
import type { HttpClient } from '../../../src/upstream/http.ts';
import { startServer, type TestServer } from '../upstream/server.ts';
import { putFiles } from './tiny-model.ts';

/** What a package like onnxruntime-node holds, and one like its dependency. */
const FILES = {
  'package.json': '{"name": "onnxruntime-node", "version": "9.9.9", "main": "dist/index.js"}',
  'dist/index.js':
    "module.exports = { binary: require('node:fs').readFileSync(__dirname + '/../bin/here/x.node', 'utf8'), common: require('onnxruntime-common') };",
  'bin/here/x.node': 'binary',
  'bin/elsewhere/x.node': 'the binary of another platform',
  'script/install.js': "throw new Error('never run')",
};
const COMMON = {
  'package.json': '{"name": "onnxruntime-common", "version": "9.9.9", "main": "index.js"}',
  'index.js': "module.exports = 'common';",
};
const keep = /^(package\.json|index\.js|dist\/\w+\.js|bin\/here\/[\w.]+)$/;

let base: string;
let home: string;
let client: HttpClient;
let server: TestServer;
let runtime: Runtime;
let tarballs: Record<string, Buffer>;
/** What the registry does with a request for a tarball. */
let answer: (response: ServerResponse, tarball: Buffer) => void;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'quantshelf-runtime-'));
  home = join(base, 'home');
  client = createHttpClient({
    userAgent: 'test',
    now: () => new Date(),
    paceMs: 1,
    longestWaitMs: 60_000,
  });
  tarballs = {};
  answer = (response, tarball) => response.end(tarball);
  server = await startServer((request, response) => {
    const tarball = tarballs[request.url ?? ''];
    if (tarball === undefined) response.writeHead(404).end();
    else answer(response, tarball);
  });
  runtime = {
    version: '9.9.9',
    platform: 'here',
    packages: [await pack('onnxruntime-node', FILES), await pack('onnxruntime-common', COMMON)],
  };
});

afterEach(async () => {
  await client.close();
  await server.close();
  await rm(base, { recursive: true, force: true });
});

/** Puts a package on the registry; `more` adds to its folder. */
async function pack(
  name: string,
  files: Readonly<Record<string, string>>,
  more: (folder: string) => Promise<void> = async () => {},
) {
  const source = join(base, 'packages', name);
  await rm(source, { recursive: true, force: true });
  const contents = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const);
  await putFiles(join(source, 'package'), Object.fromEntries(contents));
  await more(join(source, 'package'));
  const file = join(source, 'x.tgz');
  await create({ file, cwd: source, gzip: true, portable: true }, ['package']);
  const tarball = await readFile(file);
  tarballs[`/${name}/-/${name}-9.9.9.tgz`] = tarball;
  return {
    name,
    version: '9.9.9',
    bytes: tarball.length,
    sha512: createHash('sha512').update(tarball).digest('base64'),
    maxUnpackedBytes: 10_000,
    keep,
  };
}

function fetchIt(more: Partial<FetchRuntimeOptions> = {}) {
  return fetchRuntime({
    home,
    npmUrl: server.url,
    runtime,
    download: client.download,
    npmPack: () => Promise.reject(new NpmError('npm could not fetch the package')),
    withLock: withProcessLock,
    ...more,
  });
}

const find = (modelDir?: string) =>
  findRuntime({ home, modelDir, runtime, from: join(base, 'program.js') });
const load = (from: string | null) => createRequire(from ?? '')('onnxruntime-node');
const leftIn = async () => (await readdir(join(home, 'models'))).sort();

async function fault(fetching: Promise<unknown>): Promise<ModelFetchError> {
  const error: unknown = await fetching.catch((e: unknown) => e);
  if (!(error instanceof ModelFetchError)) throw new Error(`no ModelFetchError: ${String(error)}`);
  return error;
}

describe('fetchRuntime', () => {
  it('keeps the files of this platform, where Node can load them, and reports progress', async () => {
    const seen: number[] = [];
    const { path: from, source } = await fetchIt({
      onProgress: ({ what, received, total }) => {
        expect(what).toBe('runtime');
        seen.push(received / total);
      },
    });
    expect(source).toBe('registry');
    expect(load(from)).toEqual({ binary: 'binary', common: 'common' });
    const directory = runtimeDirectory(join(home, 'models'), runtime);
    const unpacked = await readdir(join(directory, 'node_modules', 'onnxruntime-node'));
    expect(unpacked.sort()).toEqual(['bin', 'dist', 'package.json']);
    expect(await readdir(join(directory, 'node_modules', 'onnxruntime-node', 'bin'))).toEqual([
      'here',
    ]);
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(await find()).toBe(from);
    expect(await leftIn()).toEqual(['fetch.lock', 'onnxruntime-9.9.9-here']);
  });

  it('downloads once for all who ask', async () => {
    const results = await Promise.all([fetchIt(), fetchIt(), fetchIt()]);
    expect(results.map(({ source }) => source).sort()).toEqual(['present', 'present', 'registry']);
    expect(server.asked).toHaveLength(2);
  });

  it('turns to the npm of the user where the registry cannot be reached', async () => {
    const specs: string[] = [];
    const { source } = await fetchIt({
      npmUrl: 'http://127.0.0.1:9',
      async npmPack(spec, directory) {
        specs.push(spec);
        const name = spec.slice(0, spec.lastIndexOf('@'));
        await writeFile(join(directory, 'x.tgz'), tarballs[`/${name}/-/${name}-9.9.9.tgz`] ?? '');
        return join(directory, 'x.tgz');
      },
    });
    expect(source).toBe('npm');
    expect(specs).toEqual(['onnxruntime-node@9.9.9', 'onnxruntime-common@9.9.9']);
    expect(load(await find())).toMatchObject({ binary: 'binary' });
  });

  it.each<[string, (response: ServerResponse, tarball: Buffer) => void]>([
    ['other bytes', (response, tarball) => response.end(Buffer.alloc(tarball.length, 'x'))],
    ['too many bytes', (response, tarball) => response.end(Buffer.concat([tarball, tarball]))],
    ['too few bytes', (response, tarball) => response.end(tarball.subarray(0, 100))],
    ['a page of HTML', (response) => response.end('<html>sign in</html>')],
    ['no such package', (response) => response.writeHead(404).end('not here')],
  ])('refuses %s, says how to mend it and leaves nothing', async (_, bad) => {
    answer = bad;
    const error = await fault(fetchIt());
    expect(error.message).toMatch(
      /^ONNX Runtime could not be downloaded \(npm registry: .*; npm: /,
    );
    expect(error.message).toMatch(/`quantshelf model`.*QUANTSHELF_MODEL_DIR/);
    expect(error.message).not.toMatch(/html|not here/);
    expect(await find()).toBeNull();
    expect(await leftIn()).toEqual(['fetch.lock']);
  });

  it('never unpacks links, paths that lead out, or more than the limit', async () => {
    await writeFile(join(base, 'outside'), 'outside');
    const odd = await pack('onnxruntime-node', FILES, async (folder) => {
      await symlink(join(base, 'outside'), join(folder, 'bin', 'here', 'link.node'));
      await mkdir(join(folder, 'dist', 'deep'));
      await writeFile(join(folder, 'dist', 'deep', 'x.js'), '');
      await writeFile(join(folder, 'bin', 'here', 'huge.node'), Buffer.alloc(20_000));
    });
    runtime = { ...runtime, packages: [odd, ...runtime.packages.slice(1)] };
    const { path: from } = await fetchIt();
    const folder = join(from, '..', 'node_modules', 'onnxruntime-node');
    expect(await readdir(join(folder, 'bin', 'here'))).toEqual(['x.node']);
    expect(await readdir(join(folder, 'dist'))).toEqual(['index.js']);
  });

  it('replaces a damaged copy, which is never loaded', async () => {
    const { path: from } = await fetchIt();
    const binary = join(from, '..', 'node_modules', 'onnxruntime-node', 'bin', 'here', 'x.node');
    await writeFile(binary, 'BINARY');
    expect(await find()).toBeNull();
    expect((await fetchIt()).source).toBe('registry');
    expect(load(await find())).toMatchObject({ binary: 'binary' });
    await rm(from);
    expect(await find()).toBeNull();
  });

  it('says how much room it takes where the disk is full', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const error = await fault(fetchIt({ download: () => Promise.reject(full) }));
    expect(error.message).toBe(
      'ONNX Runtime does not fit on the disk: free 240 MB, then run `quantshelf model`.',
    );
  });
});

describe('findRuntime', () => {
  const install = (version: string) =>
    putFiles(join(base, 'node_modules', 'onnxruntime-node'), {
      'package.json': Buffer.from(JSON.stringify({ version, main: 'index.js' })),
      'index.js': Buffer.from(`module.exports = 'installed ${version}';`),
    });

  it('prefers a copy of the right version that is installed beside the program', async () => {
    expect(await find()).toBeNull();
    await fetchIt();
    await install('9.9.8');
    expect(load(await find())).toMatchObject({ binary: 'binary' });
    await install('9.9.9');
    expect(await find()).toBe(join(base, 'program.js'));
  });

  it('passes over an installed copy that npm left half unpacked', async () => {
    const { path: from } = await fetchIt();
    await install('9.9.9');
    const native = join(base, 'node_modules', 'onnxruntime-node', 'bin', 'here');
    await mkdir(native, { recursive: true });
    const library = Buffer.alloc(100);
    library.write('\x7fELF\x02\x01', 'latin1');
    // Its section headers begin where the file ends.
    library.writeBigUInt64LE(100n, 0x28);
    await writeFile(join(native, 'libx.so.1'), library);
    expect(await find()).toBe(join(base, 'program.js'));
    await writeFile(join(native, 'libx.so.1'), library.subarray(0, 99));
    expect(await find()).toBe(from);
  });

  it('looks into the directory it is given before the home', async () => {
    await fetchIt();
    const given = join(base, 'given');
    expect(await find(given)).toBe((await fetchIt()).path);
    await fetchIt({ home: join(base, 'other home') });
    expect(await find(join(base, 'other home', 'models'))).toContain('other home');
  });
});

describe('the runtime of this version', () => {
  it('is pinned to the version that the transformer library was made for', async () => {
    const path = 'node_modules/@huggingface/transformers/package.json';
    const { dependencies } = JSON.parse(await readFile(path, 'utf8'));
    expect(RUNTIME.version).toBe(dependencies['onnxruntime-node']);
    expect(RUNTIME.packages.map(({ version }) => version)).toEqual([
      RUNTIME.version,
      RUNTIME.version,
    ]);
  });

  it('is known to run, or not, on this platform', () => {
    expect(isPlatformSupported()).toBe(
      /^(linux|win32)-(x64|arm64)$|^darwin-arm64$/.test(RUNTIME.platform),
    );
  });
});
