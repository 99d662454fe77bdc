import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pause } from '../../../src/core/time.ts';
import type { HttpClient } from '../../../src/upstream/client.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { cutOff, type Handler, makeClient, reset, startServer, type TestServer } from './server.ts';

let directory: string;
let target: string;
let client: HttpClient;
let server: TestServer | undefined;

beforeEach(() => {
  directory = temporaryDirectory();
  target = join(directory, 'file');
  client = makeClient();
});

afterEach(async () => {
  await client.close();
  await server?.close();
  server = undefined;
});

async function serve(...handlers: readonly Handler[]): Promise<TestServer> {
  server = await startServer(...handlers);
  return server;
}

const expectFailure = (url: string) =>
  expect(client.download(url, target, { maxBytes: 1_000 })).rejects;

const whole: Handler = (_, response) => response.end('the whole body');

describe('a download', () => {
  it('follows redirects only to the host itself and to allowed domains', async () => {
    const elsewhere = await startServer(whole);
    const { url } = await serve((request, response) => {
      const location = {
        '/own': '/file',
        '/port': elsewhere.url,
        // The names do not resolve: allowed ones fail to connect, others are refused.
        '/domain': 'http://cdn.region.allowed.invalid/file',
        '/suffix': 'http://notallowed.invalid/file',
        '/inside': 'http://allowed.invalid.example.invalid/file',
        '/odd-port': 'http://allowed.invalid:8080/file',
      }[request.url ?? ''];
      if (location === undefined) return whole(request, response);
      return response.writeHead(302, { location }).end();
    });
    const redirectDomains = ['allowed.invalid'];
    const download = (path: string) =>
      client.download(`${url}${path}`, target, { maxBytes: 100, redirectDomains });
    try {
      expect((await download('/own')).bytes).toBe(14);
      for (const path of ['/port', '/suffix', '/inside', '/odd-port']) {
        await expect(download(path), path).rejects.toMatchObject({
          fault: 'redirect',
          message: expect.stringContaining('host that is not allowed'),
        });
      }
      await expect(download('/domain')).rejects.toMatchObject({ fault: 'connection' });
      const pinned = { maxBytes: 100, redirectDomains: 'any' } as const;
      expect((await client.download(`${url}/port`, target, pinned)).bytes).toBe(14);
    } finally {
      await elsewhere.close();
    }
  });

  it('rejects redirects to another scheme, without a target, or in a loop', async () => {
    const { url } = await serve((request, response) => {
      const path = request.url ?? '';
      const location = path === '/scheme' ? 'https://example.org/x' : path;
      response.writeHead(302, path === '/nowhere' ? {} : { location }).end();
    });
    await expectFailure(`${url}/scheme`).toMatchObject({ fault: 'redirect' });
    await expectFailure(`${url}/nowhere`).toMatchObject({ fault: 'status', status: 302 });
    await expectFailure(`${url}/loop`).toMatchObject({ fault: 'connection' });
  });

  it('restarts after a reset connection and a truncated body, and replaces an older file', async () => {
    const { url, requests } = await serve(reset, cutOff, whole);
    await writeFile(target, 'something longer that was there before');
    await client.download(url, target, { maxBytes: 100 });
    expect(await readFile(target, 'utf8')).toBe('the whole body');
    expect(requests).toHaveLength(3);
  });

  it('times out while waiting for headers or for the next chunk', async () => {
    await client.close();
    client = makeClient({ headersMs: 150, chunkMs: 150, tries: 1 });
    const { url } = await serve((request, response) => {
      if (request.url === '/half') response.writeHead(200).write('half');
    });
    for (const path of ['/silent', '/half']) {
      await expectFailure(url + path).toMatchObject({ fault: 'timeout' });
    }
  });

  it("that waits before a retry rejects with the signal's reason when aborted", async () => {
    const { url } = await serve((_, response) => response.writeHead(503).end());
    const reason = new Error('enough');
    const stopping = new AbortController();
    await client.close();
    const onPause = () => setImmediate(() => stopping.abort(reason));
    client = makeClient({ sleep: pause, paceMs: 50_000, onPause });
    const busy = client.download(url, target, { maxBytes: 9, signal: stopping.signal });
    await expect(busy).rejects.toBe(reason);
  });

  it('passes on a disk error unchanged', async () => {
    const { url, requests } = await serve(whole);
    const nowhere = join(directory, 'missing', 'file');
    const failure = client.download(url, nowhere, { maxBytes: 100 });
    await expect(failure).rejects.toMatchObject({ code: 'ENOENT' });
    expect(requests).toEqual(['/']);
  });
});
