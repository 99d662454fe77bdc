import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { makePdf, unreadablePdfs, writeOddPapers } from '../stand-ins/own-pdfs.ts';
import { runHere } from './in-process.ts';
import { makeKey, type Serving, serveForTest } from './serving.ts';
import { bin, environment, makeHome, node, quantshelf, WITHOUT_MODEL } from './support.ts';

/** The user's own papers, on the command line and through every door. */

const QUERY = 'quoting under informed flow';
const SECRET = /informed flow|own-papers|file:/i;

let home = '';
let folder = '';
beforeAll(async () => {
  home = makeHome();
  folder = join(makeHome(), 'own-papers');
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
});

it('the program adds a folder, reports unreadable files, counts the papers and removes them again', async () => {
  const other = makeHome();
  const { code, stdout, stderr } = await runHere(['add', folder, '--json'], other, WITHOUT_MODEL);
  const report = added.parse(JSON.parse(stdout));
  expect(code).toBe(1);
  expect(report.counts).toEqual({ added: 10 });
  expect(report.failed).toHaveLength(4);
  for (const { path, why } of report.failed) expect(stderr).toContain(`${path}: ${why}.`);
  expect((await runHere(['status'], other)).stdout).toMatch(
    /^papers .* with full text, 10 of your own/m,
  );
  const again = await runHere(['add', folder, '--json'], other, WITHOUT_MODEL);
  expect(added.parse(JSON.parse(again.stdout)).counts).toEqual({ unchanged: 10 });
  const paper = report.papers.find(({ title }) => title === 'Quoting under Informed Flow');
  const removed = await runHere(['remove', paper?.paperCardId ?? '', folder, '--json'], other);
  expect(JSON.parse(removed.stdout)).toEqual({ files: 10, papers: 10, unknown: [] });
  expect((await runHere(['status'], other)).stdout).not.toContain('of your own');
  expect((await runHere(['remove', folder], other)).code).toBe(1);
  const unknown = runHere(['add', folder, '--bib', join(folder, 'none.bib')], other);
  await expect(unknown).rejects.toThrow('none.bib is not a readable file');
  const doubled = Array.from({ length: 27 }, (_, at) => `@string{s${at + 1} = s${at} # s${at}}`);
  const hostile = join(makeHome(), 'hostile.bib');
  writeFileSync(
    hostile,
    ['@string{s0 = "carry and so on"}', ...doubled, '@misc{a, title = s27}'].join('\n'),
  );
  const ended = runHere(['add', folder, '--bib', hostile], other);
  await expect(ended).rejects.toThrow('hostile.bib is not BibTeX, or takes too long or too much');
});

it('gives a bundled paper its digest back when the file of its text is removed', async () => {
  const other = makeHome();
  const path = join(makeHome(), '2503.14158v1.pdf');
  writeFileSync(path, await makePdf({ front: [{ text: 'A Copy', size: 18 }] }));
  const read = async () => {
    const asked = ['call', 'paper_read', JSON.stringify({ paperCardId: '2503.14158' })];
    const { data, meta } = JSON.parse((await runHere(asked, other)).stdout);
    return { data, notice: meta.notice };
  };
  const before = await read();
  expect(before.data.sectionCount).toBe(5);
  await runHere(['add', path], other, WITHOUT_MODEL);
  expect((await read()).notice).toContain('The text is that of your own file.');
  // The paper stays on the shelf.
  const removed = await runHere(['remove', path, '--json'], other);
  expect(JSON.parse(removed.stdout)).toEqual({ files: 1, papers: 0, unknown: [] });
  expect(await read()).toEqual(before);
});

it('each file is stored once if two processes add the same folder', async () => {
  const other = makeHome();
  await runHere(['status'], other);
  const both = [1, 2].map(() => quantshelf(['add', folder, '--json'], other, WITHOUT_MODEL));
  for (const { stdout } of await Promise.all(both)) {
    const { counts, failed } = added.parse(JSON.parse(stdout));
    expect(failed).toHaveLength(4);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(10);
  }
  const removed = await runHere(['remove', folder, '--json'], other);
  expect(JSON.parse(removed.stdout)).toMatchObject({ files: 10, papers: 10 });
});

it('adding a folder resumes with the remaining files after SIGINT and SIGKILL', async () => {
  const other = makeHome();
  const many = join(makeHome(), 'many');
  mkdirSync(many);
  for (let at = 0; at < 12; at += 1) {
    const front = [{ text: `Paper Number ${at} of Many`, size: 18 }];
    writeFileSync(join(many, `p${at}.pdf`), await makePdf({ front }));
  }
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const child = spawn(node, [bin, 'add', many], { env: environment(other, WITHOUT_MODEL) });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill(signal);
    await ended;
  }
  const { stdout } = await runHere(['add', many, '--json'], other, WITHOUT_MODEL);
  const { counts } = added.parse(JSON.parse(stdout));
  expect((counts.added ?? 0) + (counts.unchanged ?? 0)).toBe(12);
});

it('own papers are served only to the user and to keys on this machine', async () => {
  await runHere(['add', folder], home, WITHOUT_MODEL);
  const called = await runHere(
    ['call', 'paper_search', JSON.stringify({ query: QUERY })],
    home,
    WITHOUT_MODEL,
  );
  const url = pathToFileURL(join(folder, 'plain.pdf')).href;
  expect(JSON.parse(called.stdout).data[0]).toMatchObject({ origin: 'own', pdfUrl: url });

  const key = await makeKey(home, 'spy');
  const ask = async ({ url: base }: Serving, path: string, body: object, more = {}) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...more,
    };
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return response.text();
  };
  const read = (serving: Serving, method: string, params: object) =>
    ask(serving, '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'spy', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
  const { paperCardId } = JSON.parse(called.stdout).data[0];
  const spy = async (serving: Serving) => {
    const replies = [
      await ask(serving, '/api/paper/search', {
        query: 'dealers quote when orders are informed',
        topK: 10,
      }),
      await ask(serving, '/api/paper/search', { query: 'source:own' }),
      await ask(serving, '/api/paper/read', { paperCardId, sections: ['all'] }),
      await read(serving, 'resources/read', { uri: `quantshelf://paper/${paperCardId}` }),
      await read(serving, 'resources/read', { uri: `quantshelf://paper/${paperCardId}/all` }),
      await read(serving, 'resources/read', { uri: 'quantshelf://new/1d' }),
      await read(serving, 'resources/list', {}),
    ];
    return `${replies.join('\n')}\n${serving.said()}`;
  };
  const mine = await serveForTest(home, { env: WITHOUT_MODEL });
  const seen = await spy(mine);
  expect(seen).toContain('Informed Flow');
  expect(seen).not.toContain('own-papers');
  expect(seen).not.toContain('file://');
  // A tunnel that sends this machine's name as the Host.
  const passedOn = { 'X-Forwarded-For': '203.0.113.9' };
  const refused = await ask(mine, '/api/paper/read', { paperCardId }, passedOn);
  expect(JSON.parse(refused)).toMatchObject({ error: { code: 'forbidden' } });
  await mine.stop();
  for (const args of [
    ['--allow-host', 'shelf.example.org'],
    ['--host', '0.0.0.0'],
    ['--host', '::ffff:127.0.0.1'],
  ]) {
    const open = await serveForTest(home, { args, env: WITHOUT_MODEL });
    const url = open.url.replace(/0\.0\.0\.0|\[::ffff:127.0.0.1\]/, '127.0.0.1');
    const text = await spy({ ...open, url });
    expect(text).not.toMatch(SECRET);
    // It still answers.
    expect(text).toContain('"verdict"');
    await open.stop();
  }
});

it('nothing about own papers is sent to any upstream', async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const names =
    'ARXIV_OAI ARXIV_WEB AR5IV FRED POLYMARKET KALSHI HUB NPM BLS TREASURY NYFED FEDBOARD BEA CENSUS FHFA';
  const env = {
    ...Object.fromEntries(names.split(' ').map((name) => [`QUANTSHELF_${name}_URL`, url])),
    QUANTSHELF_OFFLINE: '0',
    QUANTSHELF_PACE_MS: '1',
    npm_config_registry: url,
    ...{
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      QUANTSHELF_MODEL_DIR: WITHOUT_MODEL.QUANTSHELF_MODEL_DIR ?? '',
    },
  };
  const other = makeHome();
  await quantshelf(['add', folder], other, env);
  const found = await quantshelf(
    ['call', 'paper_search', JSON.stringify({ query: 'source:own' })],
    other,
    env,
  );
  const cards: { paperCardId: string }[] = JSON.parse(found.stdout).data;
  expect(cards.length).toBeGreaterThan(3);
  for (const { paperCardId } of cards) {
    const read = await quantshelf(
      ['call', 'paper_read', JSON.stringify({ paperCardId })],
      other,
      env,
    );
    expect(read.code).toBe(0);
  }
  const syncing = await quantshelf(['sync', 'papers', '--full-text', '20'], other, env);
  expect(syncing.stdout).toContain('papers:');
  // Requests go out for the model and arXiv's list, but contain no title, id, name or path of the papers.
  expect(heard.length).toBeGreaterThan(0);
  const said = heard.join('\n');
  expect(said).not.toMatch(/2609\.01234|informed|own-papers|10\.5555|Example|volatility/i);
  for (const { paperCardId } of cards) expect(said).not.toContain(paperCardId);
});
