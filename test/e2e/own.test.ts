import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { syncLockPath } from '../../src/config.ts';
import { withProcessLock } from '../../src/store/lock.ts';
import { makePdf, unreadablePdfs, writeOddPapers } from '../stand-ins/own-pdfs.ts';
import { startUpstream } from '../stand-ins/upstream.ts';
import { connectTo } from './hosts.ts';
import { runHere } from './in-process.ts';
import { ask, makeKey, type Serving, serveForTest } from './serving.ts';
import { makeHome, quantshelf, startCommand, WITHOUT_MODEL } from './support.ts';

/** The user's own papers, on the command line and through every door. */

const folder = join(makeHome(), 'own-papers');
beforeAll(async () => {
  mkdirSync(folder);
  await writeOddPapers(folder);
  for (const [name, bytes] of Object.entries(await unreadablePdfs())) {
    writeFileSync(join(folder, name), bytes);
  }
});

const added = z.object({
  counts: z.record(z.string(), z.number()),
  papers: z.array(z.object({ paperCardId: z.string(), title: z.string() })),
  failed: z.array(z.object({ path: z.string(), why: z.string() })),
  error: z.string().nullable(),
});
const add = async (home: string, target = folder) => {
  const { code, stdout, stderr } = await runHere(['add', target, '--json'], home);
  return { ...added.parse(JSON.parse(stdout)), code, stderr };
};
const cards = z.object({
  data: z.array(z.object({ paperCardId: z.string(), pdfUrl: z.string() })),
});
const search = async (home: string, query: string, env = WITHOUT_MODEL) => {
  const command = ['call', 'paper_search', JSON.stringify({ query, topK: 10 })];
  return cards.parse(JSON.parse((await quantshelf(command, home, env)).stdout)).data;
};

it('a folder of papers can be added, with a report of unreadable files, and removed again', async () => {
  const home = makeHome();
  const { code, stderr, counts, failed, papers, error } = await add(home);
  expect(code).toBe(1);
  expect(error).toMatch(/: unset QUANTSHELF_OFFLINE, then .* found only by its words until you/);
  expect(counts).toEqual({ added: 10 });
  expect(failed).toHaveLength(4);
  for (const { path, why } of failed) expect(stderr).toContain(`${path}: ${why}.`);
  const status = async () => (await runHere(['status'], home)).stdout;
  expect(await status()).toMatch(/^papers .* with full text, 10 of your own/m);
  expect((await add(home)).counts).toEqual({ unchanged: 10 });
  const paper = papers.find(({ title }) => title === 'Quoting under Informed Flow');
  const removed = await runHere(['remove', paper?.paperCardId ?? '', folder, '--json'], home);
  expect(JSON.parse(removed.stdout)).toEqual({ files: 10, papers: 10, unknown: [] });
  expect(await status()).not.toContain('of your own');
  expect((await runHere(['remove', folder], home)).code).toBe(1);
});

it('add refuses a bibliography that is missing or would exhaust the machine', async () => {
  const home = makeHome();
  const missing = runHere(['add', folder, '--bib', join(folder, 'none.bib')], home);
  await expect(missing).rejects.toThrow('none.bib is not a readable file');
  const doubled = Array.from({ length: 27 }, (_, at) => `@string{s${at + 1} = s${at} # s${at}}`);
  const lines = ['@string{s0 = "carry and so on"}', ...doubled, '@misc{a, title = s27}'];
  const path = join(home, 'hostile.bib');
  writeFileSync(path, lines.join('\n'));
  const hostile = runHere(['add', folder, '--bib', path], home);
  await expect(hostile).rejects.toThrow('hostile.bib is not BibTeX, or takes too long or too much');
});

it('each file is added only once if two processes add the same folder', async () => {
  const home = makeHome();
  await runHere(['status'], home);
  const both = [1, 2].map(() => quantshelf(['add', folder, '--json'], home, WITHOUT_MODEL));
  const counts = (await Promise.all(both)).map(({ stdout }) => JSON.parse(stdout).counts);
  expect(counts).toHaveLength(2);
  for (const each of [{ added: 10 }, { unchanged: 10 }]) expect(counts).toContainEqual(each);
});

it.skipIf(process.platform === 'win32')(
  'a process that waits for another to finish adding papers ends on SIGINT',
  async () => {
    const home = makeHome();
    await runHere(['status'], home);
    const work = async () => {
      const { child, ended } = startCommand(['add', '--dry-run', folder], home);
      let said = '';
      child.stderr?.on('data', (text) => (said += text));
      await expect.poll(() => said).toContain('waiting for it.');
      child.kill('SIGINT');
      expect((await ended).code).toBe(1);
      return said;
    };
    expect(await withProcessLock(syncLockPath(home, 'own'), work)).toMatch(
      /Nothing was stored\.$/m,
    );
    expect((await add(home)).counts).toEqual({ added: 10 });
  },
);

it('adding a folder again after SIGINT and SIGKILL stores every file', async () => {
  const home = makeHome();
  const many = join(home, 'many');
  mkdirSync(many);
  for (let at = 0; at < 12; at += 1) {
    const front = [{ text: `Paper Number ${at} of Many`, size: 18 }];
    writeFileSync(join(many, `p${at}.pdf`), await makePdf({ front }));
  }
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const { child, ended } = startCommand(['add', many], home, WITHOUT_MODEL);
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill(signal);
    await ended;
  }
  const { counts } = await add(home, many);
  expect((counts.added ?? 0) + (counts.unchanged ?? 0)).toBe(12);
});

it('file names cannot send control characters to the terminal', async () => {
  const home = makeHome();
  const dark = join(home, 'dark');
  mkdirSync(dark);
  const path = join(dark, 'a\u001b[2Jb.pdf');
  writeFileSync(path, await makePdf({ front: [{ text: 'A Paper with a Name', size: 18 }] }));
  const { stdout, stderr } = await quantshelf(['add', dark], home, WITHOUT_MODEL);
  expect(stdout).toContain('a [2Jb.pdf');
  expect(stdout + stderr).not.toContain('\u001b');
});

it("the user's own papers are served on this machine only, whatever key a client has", async () => {
  const home = makeHome();
  await add(home);
  const [card] = await search(home, 'quoting under informed flow');
  expect(card?.pdfUrl).toBe(pathToFileURL(join(folder, 'plain.pdf')).href);
  const key = await makeKey(home, 'spy');
  const addressOf = ({ url }: Serving) =>
    url.replace(/0\.0\.0\.0|\[::ffff:127.0.0.1\]/, '127.0.0.1');
  const post = async (serving: Serving, path: string, body: object, more = {}) => {
    const headers = { 'Content-Type': 'application/json', ...more };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await ask(addressOf(serving), key, path, init)).text();
  };
  const read = { paperCardId: card?.paperCardId };
  const spy = async (serving: Serving) => {
    const host = await connectTo('current', addressOf(serving), key);
    const claim = 'holds inventory against a stream of informed orders';
    const beside = await Promise.all([
      host.read('quantshelf://new/7d'),
      host.read('quantshelf://tags/papers'),
      host.prompt('weekly_brief', {}),
      host.prompt('check_claim', { claim }),
      host.complete({ type: 'ref/resource', uri: 'quantshelf://paper/{id}' }, 'id', 'informed'),
    ]);
    const replies = [
      JSON.stringify(beside),
      await post(serving, '/api/paper/search', { query: 'dealers quote orders', topK: 10 }),
      await post(serving, '/api/paper/search', { query: 'source:own' }),
      await post(serving, '/api/paper/read', read),
    ];
    return `${replies.join('\n')}\n${serving.said()}`;
  };
  const mine = await serveForTest(home, { env: WITHOUT_MODEL });
  const text = await spy(mine);
  expect(text.match(/Informed Flow/g)?.length).toBeGreaterThan(4);
  expect(text).not.toMatch(/own-papers|file:\/\//);
  // A tunnel that sends this machine's name as the Host.
  const forwarded = await post(mine, '/api/paper/read', read, { 'X-Forwarded-For': '203.0.113.9' });
  expect(JSON.parse(forwarded)).toMatchObject({ error: { code: 'forbidden' } });
  await mine.stop();
  for (const args of [
    ['--allow-host', 'shelf.example.org'],
    ['--host', '0.0.0.0'],
    ['--host', '::ffff:127.0.0.1'],
  ]) {
    const open = await serveForTest(home, { args, env: WITHOUT_MODEL });
    const replies = await spy(open);
    expect(replies).not.toMatch(/informed flow|own-papers|file:/i);
    expect(replies).toContain('"verdict"');
    await open.stop();
  }
});

it("nothing about the user's own papers is sent to any upstream", async () => {
  const upstream = await startUpstream(() => ({
    status: 404,
    type: 'text/plain',
    body: Buffer.alloc(0),
  }));
  onTestFinished(() => upstream.close());
  const { url } = upstream;
  const names =
    'ARXIV_OAI ARXIV_WEB AR5IV FRED POLYMARKET KALSHI HUB NPM BLS TREASURY NYFED FEDBOARD BEA CENSUS FHFA';
  const env = {
    ...Object.fromEntries(names.split(' ').map((name) => [`QUANTSHELF_${name}_URL`, url])),
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_PACE_MS: '1',
    QUANTSHELF_MODEL_DIR: WITHOUT_MODEL.QUANTSHELF_MODEL_DIR ?? '',
    npm_config_registry: url,
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
  };
  const home = makeHome();
  await quantshelf(['add', folder], home, env);
  const own = await search(home, 'source:own', env);
  expect(own.length).toBeGreaterThan(3);
  for (const { paperCardId } of own) {
    const command = ['call', 'paper_read', JSON.stringify({ paperCardId })];
    expect((await quantshelf(command, home, env)).code).toBe(0);
  }
  const syncing = await quantshelf(['sync', 'papers', '--full-text', '20'], home, env);
  expect(syncing.stdout).toContain('papers:');
  // Requests go out for the model and arXiv's list, but contain no title, id, name or path of the papers.
  expect(upstream.requests.length).toBeGreaterThan(0);
  const sent = JSON.stringify(upstream.requests);
  expect(sent).not.toMatch(/2609\.01234|informed|own-papers|10\.5555|Example|volatility/i);
  for (const { paperCardId } of own) expect(sent).not.toContain(paperCardId);
});
