import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { serveForTest } from '../e2e/serving.ts';
import { makeHome, runProcess, success } from '../e2e/support.ts';

const BUILD_MS = 900_000;
const IMAGE = 'quantshelf-test';
const NO_DOCKER = 'no Docker daemon answers';

/** The health check in the Dockerfile, for a server at another address. */
function healthCheck(url: string): string[] {
  const [, command = ''] =
    /HEALTHCHECK[^\n]*\\\n\s*CMD (\[.*\])/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const words = z.array(z.string()).parse(JSON.parse(command));
  return words.map((word) => word.replace('http://127.0.0.1:8787', url));
}

it("the Dockerfile's health check distinguishes a server that answers from one that does not", async () => {
  const serving = await serveForTest(makeHome(), { args: ['--host', '0.0.0.0'] });
  const url = `http://127.0.0.1:${new URL(serving.url).port}`;
  const [, ...words] = healthCheck(url);
  expect(await runProcess(process.execPath, words)).toMatchObject({ code: 0, stderr: '' });
  await serving.stop();
  expect(await runProcess(process.execPath, words)).toMatchObject({ code: 1, stderr: '' });
});

describe('the Docker image', () => {
  const volume = `${IMAGE}-${process.pid}`;
  let isBuilt = false;
  const docker = (...words: string[]) =>
    runProcess('docker', words, { timeout: BUILD_MS }).catch((error: Error) => {
      return { code: 1, stdout: '', stderr: error.message };
    });

  beforeAll(async () => {
    if ((await docker('info')).code !== 0) return;
    const built = await docker('build', '--tag', IMAGE, '.');
    expect(built.code, built.stderr.slice(-4000)).toBe(0);
    isBuilt = true;
  }, BUILD_MS);

  afterAll(async () => {
    if (!isBuilt) return;
    await docker('rm', '--force', volume);
    await docker('volume', 'rm', volume);
    await docker('image', 'rm', IMAGE);
  });

  it('runs as an unprivileged user, and serves the shelf on its volume to a client with a key', async (test) => {
    if (!isBuilt) test.skip(NO_DOCKER);
    const shelf = ['--volume', `${volume}:/shelf`, '--env', 'QUANTSHELF_OFFLINE=1'];
    const key = await docker('run', '--rm', ...shelf, IMAGE, 'keys', 'create', 'notebook');
    expect(key).toMatchObject({ code: 0, stdout: expect.stringMatching(/^qs_\w{32}\n$/) });
    const publish = ['--detach', '--name', volume, '--publish', '127.0.0.1::8787'];
    await docker('run', ...publish, ...shelf, IMAGE);
    const address = (await docker('port', volume, '8787')).stdout.trim();
    const health = () => fetch(`http://${address}/health`).catch(() => null);
    await expect.poll(health).toMatchObject({ ok: true });
    const reply = await fetch(`http://${address}/api/macro/indicators?q=payrolls`, {
      headers: { authorization: `Bearer ${key.stdout.trim()}` },
    });
    expect(success.parse(await reply.json()).data).not.toEqual([]);
    expect((await docker('exec', volume, 'id', '-un')).stdout).toBe('node\n');
  });
});
