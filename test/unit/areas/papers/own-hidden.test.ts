import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { migrations } from '../../../../src/app/store.ts';
import { hideOwnPapers } from '../../../../src/areas/papers/own-hidden.ts';
import { listPaperNews } from '../../../../src/areas/papers/queries.ts';
import { createPaperRefresher, type PaperRefresher } from '../../../../src/areas/papers/refresh.ts';
import { createArxivSource } from '../../../../src/areas/papers/source.ts';
import { abstractSection, replaceText } from '../../../../src/areas/papers/stored-text.ts';
import { paperMigrations } from '../../../../src/areas/papers/tables.ts';
import type { Context } from '../../../../src/core/context.ts';
import { run } from '../../../../src/core/run.ts';
import { operations, prompts, resources } from '../../../../src/operations.ts';
import { indexVectors } from '../../../../src/search/profile.ts';
import { writeForCall } from '../../../../src/store/connection.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForCalls, openForWriting } from '../../../../src/store/open.ts';
import { createHttpClient } from '../../../../src/upstream/client.ts';
import { offline } from '../../../context.ts';
import { startArxiv } from '../../../stand-ins/arxiv.ts';
import { makeHtmlPage } from '../../../stand-ins/arxiv-pages.ts';
import { LICENSES, makePaper, withdrawalOf } from '../../../stand-ins/arxiv-papers.ts';
import { makePdf } from '../../../stand-ins/own-pdfs.ts';
import { withVectors } from '../../../vectors.ts';
import { addOwn, parseHere } from './adding.ts';
import { makeCard, noModel } from './shelf.ts';

/** The user's own papers leave no trace on a server for others, whatever a caller asks. */

const NOW = new Date('2026-11-21T12:00:00Z');
const now = () => NOW;
/** Words found only in own papers. */
const SECRETS = 'plumbago zephyrine quillfeather vexillary ottoline 10.5555/secret'.split(' ');
const ABSTRACT = 'How dealers hedge quotes and options when inventory grows.';
const SECRET =
  'A vexillary plumbago argument on how dealers hedge quotes with options under zephyrine rules.';
const OWN = 'The plumbago desk quotes vexillary spreads to dealers. ';
const makeOwn = (title: string, marks: { foot?: string; stamp?: string }) =>
  makePdf({
    front: [
      { text: title, size: 18, bold: true },
      { text: 'Ottoline Quillfeather', size: 12 },
      { text: 'Abstract', size: 11, bold: true },
      { text: SECRET },
    ],
    sections: [['1 Introduction', OWN.repeat(60)]],
    ...marks,
  });
/** arXiv papers that the user has as files: on the shelf, not on the shelf, and withdrawn since. */
const [LISTED, UNLISTED, WITHDRAWN] = ['2609.00001', '2609.00002', '2609.00003'] as const;
const ARXIV = [LISTED, UNLISTED, WITHDRAWN];
const PUBLIC = 'Spreads widen when inventories grow. ';
const introduction = { title: 'Introduction', text: PUBLIC.repeat(99) };
const html = makeHtmlPage({ title: 'Dealers', sections: [introduction] });
const recordOf = (id: string) =>
  makePaper({
    id,
    title: `Dealers at arXiv ${id}`,
    license: LICENSES.by,
    abstract: ABSTRACT,
    html,
  });

/** A unit vector: the greater the number, the farther it is from the vector for 0. */
const vectorOf = (at: number) =>
  new Float32Array(384).map((_, axis) => (axis < 20 * Math.abs(at) ? -1 : 1) / Math.sqrt(384));
const indexAll = (db: Database, where: string) => {
  const list = `SELECT id FROM paper WHERE withdrawn = 0 AND ${where}`;
  const cards = db
    .prepare<[], number>(list)
    .pluck()
    .all()
    .map((id) => ({ id, vector: vectorOf(Math.max(0, id)), passages: [vectorOf(id)] }));
  indexVectors(db, { name: 'paper' }, cards);
};

/** Servers of a shelf with own papers, one per kind of reader, and of the shelf `before` they were added. */
type Server = 'personal' | 'loopback' | 'licensed' | 'before';
const servers = new Map<Server, { db: Database; refresher: PaperRefresher }>();
const closers: (() => unknown)[] = [];
let folder: string;
let ownIds: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quantshelf-hidden-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const withdrawn = recordOf(WITHDRAWN);
  const gone = { ...withdrawn, ...withdrawalOf(withdrawn, '2026-11-20') };
  const records = [recordOf(LISTED), recordOf(UNLISTED), gone];
  const arxiv = await startArxiv({ now, records });
  const client = createHttpClient({ userAgent: 'test', now, paceMs: 1, longestWaitMs: 1_000 });
  closers.push(arxiv.close, client.close);
  const source = createArxivSource(client, arxiv.bases);
  const openWriter = (file: string) => {
    const db = withVectors(openForWriting(join(folder, file)));
    const refresher = createPaperRefresher({
      db,
      source,
      now,
      parse: parseHere,
      embedLater: () => {},
      reachability: { isUpstreamUnreachable: () => false },
      log: () => {},
    });
    closers.push(() => db.close(), refresher.close);
    return { db, refresher };
  };
  const own = openWriter('store.sqlite');
  migrate(own.db, migrations, NOW);
  const sections = [abstractSection(ABSTRACT)];
  const facts = { abstract: ABSTRACT, sections, licenseUrl: LICENSES.by };
  const others = Array.from({ length: 6 }, (_, at) => `2609.1000${at}`);
  const cards = [LISTED, WITHDRAWN, ...others].map((id) =>
    makeCard({ ...facts, sourceId: `arxiv:${id}`, title: `Hedging quotes ${id}` }),
  );
  insertPapers(own.db, cards);
  // The vectors that a model would make: an own card's is the nearest to every question.
  indexAll(own.db, 'id > 0');
  await own.db.backup(join(folder, 'before.sqlite'));
  const before = openWriter('before.sqlite');
  const papers = join(folder, 'papers');
  mkdirSync(papers);
  for (const id of ARXIV) {
    const file = await makeOwn('Dealers', { stamp: `arXiv:${id}v1 [q-fin.TR] 1 Sep 2026` });
    writeFileSync(join(papers, `${id}.pdf`), file);
  }
  const secret = await makeOwn('Zephyrine Hedging of Quotes', { foot: 'doi:10.5555/secret' });
  writeFileSync(join(papers, 'own.pdf'), secret);
  const report = await addOwn(own.db, papers);
  expect(report.counts).toEqual({ added: 2, matched: 2 });
  indexAll(own.db, 'id < 0');
  ownIds = report.papers
    .filter(({ sourcePaperId }) => !sourcePaperId.startsWith('arxiv:'))
    .flatMap(({ paperCardId, sourcePaperId }) => [paperCardId, sourcePaperId]);
  for (const name of ['personal', 'loopback', 'licensed', 'before'] as const) {
    const file = name === 'before' ? 'before.sqlite' : 'store.sqlite';
    const { db } = openForCalls(join(folder, file));
    if (name === 'licensed') writeForCall(db, () => hideOwnPapers(db));
    const { refresher } = name === 'before' ? before : own;
    servers.set(name, { db, refresher });
    closers.push(() => db.close());
  }
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

function serverOf(name: Server) {
  const server = servers.get(name);
  if (server === undefined) throw new Error('not open');
  const policy = name === 'before' ? 'licensed' : name;
  return { ...server, shelf: { db: server.db, now, policy } as const };
}

/** The reply to a call, without its id; online, the server fetches what it lacks from arXiv. */
async function ask(
  server: Server,
  tool: string,
  input: object,
  { embedQuery = noModel, isOnline = false }: Partial<Context> & { isOnline?: boolean } = {},
): Promise<string> {
  const { shelf, refresher } = serverOf(server);
  const operation = operations.find(({ name }) => name === tool);
  if (operation === undefined) throw new Error(tool);
  const account = { name: 'a', balance: () => 100, charge: () => 99 };
  const online = { addPaper: refresher.add, freshenPaper: refresher.freshen };
  const context = { ...offline, ...(isOnline ? online : {}), ...shelf, embedQuery };
  const open = async () => ({ context, account });
  const { envelope } = await run(operation, input, { open, log: () => {} });
  return JSON.stringify(envelope).replace(/"requestId":"[^"]*"/g, '');
}

const QUESTIONS = [
  'dealers hedge quotes with options',
  'source:own',
  '-source:own',
  'since:2000',
  'hedging -option',
  'zephyrin hedging',
  'plumbagos',
  'vexilary spreads',
  'papers by Quillfeather',
  'author:quillfeather',
  'plumbago',
  'Zephyrine Hedging of Quotes',
  'doi:10.5555/secret',
  'Dealers widen their quotes when they hold inventory. How do they hedge with options? Which plumbago desk quotes vexillary spreads, and does Ottoline Quillfeather say so?',
];
const TYPED = ',a,2,doi,file,zeph,zephyrine hedging,dealers,hedg,intro,s0'.split(',');

/** Everything that a caller with the scope `papers` can request, and the replies, by name. */
async function askAll(server: Server): Promise<Map<string, string>> {
  const { shelf } = serverOf(server);
  const replies = new Map<string, string>();
  const ids = [...ownIds, ...ARXIV, 'arxiv:2609.10000', '10.5555/secret', 'file:', 'x'];
  const nearest = async () => ({ vector: vectorOf(0) });
  for (const embedQuery of [noModel, nearest]) {
    for (const query of [...QUESTIONS, ...ids]) {
      const reply = await ask(server, 'paper_search', { query, topK: 10 }, { embedQuery });
      replies.set(`search ${embedQuery.name} ${query}`, reply);
    }
  }
  const keys = ['all', 'abstract', 's01-introduction', 'introduction'];
  for (const paperCardId of ids) {
    for (const key of keys) {
      const reply = await ask(server, 'paper_read', { paperCardId, sections: [key] });
      replies.set(`read ${paperCardId} ${key}`, reply);
    }
  }
  const attempt = (name: string, work: () => unknown) => {
    try {
      replies.set(name, JSON.stringify(work()) ?? '');
    } catch (error) {
      replies.set(name, error instanceof Error ? error.message : '');
    }
  };
  for (const resource of resources.filter(({ area }) => area === 'papers' || area === null)) {
    for (const id of ids) {
      for (const section of keys) {
        const values = { id, section, since: '2020-01-01' };
        attempt(`${resource.name} ${id} ${section}`, () => resource.read(values, shelf));
      }
      for (const [variable, complete] of Object.entries(resource.complete ?? {})) {
        for (const text of TYPED) {
          const name = `${resource.name} ${variable} ${id} ${text}`;
          attempt(name, () => complete(text, shelf, { id }));
        }
      }
    }
    attempt(`${resource.name} listed`, () => resource.list?.(shelf));
  }
  for (const prompt of prompts.filter(({ area }) => area === 'papers' || area === null)) {
    for (const text of ['quotes vexillary spreads to dealers', 'how dealers hedge quotes', '7d']) {
      for (const paper of ['', ...ids]) {
        const values = { topic: text, claim: text, question: text, since: text };
        const about = paper === '' ? values : { ...values, paper };
        attempt(`${prompt.name} ${text} ${paper}`, () => prompt.write(about, shelf));
      }
    }
    for (const [name, argument] of Object.entries(prompt.arguments)) {
      for (const text of TYPED)
        attempt(`${prompt.name} ${name} ${text}`, () => argument.complete?.(text, shelf, {}));
    }
  }
  attempt('news', () => listPaperNews(shelf.db, new Date('2020-01-01'), 50));
  return replies;
}

async function expectNoTrace() {
  const [hidden, before] = [await askAll('licensed'), await askAll('before')];
  expect(hidden.size).toBeGreaterThan(400);
  for (const [name, reply] of hidden) expect(reply, name).toBe(before.get(name));
}

it('a server for others replies as if the user’s own papers had never been added', expectNoTrace);

it('a server for others sees no row that the user’s own papers added to the tables it reads', () => {
  const names = serverOf('before')
    .db.prepare<[], string>(`
      SELECT name FROM main.sqlite_schema
      WHERE type IN ('table', 'view') AND name NOT GLOB '*_terms_*' AND (name LIKE 'paper%' OR name LIKE 'own%')
        -- No door reads these two.
        AND name NOT IN ('papers', 'paper_sections')`)
    .pluck()
    .all();
  expect(names.length).toBeGreaterThan(9);
  const countIn = (server: Server, name: string) => {
    const only = name === 'paper_vocabulary' ? 'WHERE doc > 0' : '';
    return serverOf(server).db.prepare(`SELECT count(*) FROM ${name} ${only}`).pluck().get();
  };
  const grown = names.filter((name) => countIn('personal', name) !== countIn('before', name));
  expect(grown).toHaveLength(10);
  for (const name of names) expect(countIn('licensed', name), name).toBe(countIn('before', name));
});

it('a server for the user shows their own papers, with the paths of the files', async () => {
  const replies = await askAll('personal');
  const text = [...replies.values()].join('\n').toLowerCase();
  for (const secret of [...SECRETS, folder]) expect(text, secret).toContain(secret.toLowerCase());
  const quoted = replies.get('check_claim quotes vexillary spreads to dealers ');
  for (const id of ARXIV) expect(quoted).toContain(`quantshelf://paper/${id}/s01-introduction: `);
});

it('a client with a key on this machine reads the user’s own papers, but not their paths', async () => {
  const text = [...(await askAll('loopback')).values()].join('\n');
  expect(text).toContain('vexillary');
  expect(text).not.toContain(folder);
  expect(text).not.toContain('file://');
});

it('a server for others serves arXiv’s text of a paper, and the user’s server that of their file', async () => {
  const own = () =>
    Promise.all(ARXIV.map((id) => ask('personal', 'paper_read', { paperCardId: id })));
  for (const text of await own()) expect(text).toContain('plumbago');
  for (const paperCardId of ARXIV) {
    for (const sections of [['abstract'], ['all'], ['introduction']]) {
      const read = (server: Server) =>
        ask(server, 'paper_read', { paperCardId, sections }, { isOnline: true });
      expect(await read('licensed'), `${paperCardId} ${sections}`).toBe(await read('before'));
    }
  }
  for (const paperCardId of [LISTED, UNLISTED])
    expect(await ask('licensed', 'paper_read', { paperCardId })).toContain(PUBLIC);
  await expectNoTrace();
  for (const text of await own()) expect(text).toContain('plumbago');
});

it('a migration removes the texts of the user’s files from arXiv’s cards', () => {
  const db = openForWriting(join(folder, 'earlier.sqlite'));
  migrate(db, paperMigrations.slice(0, 2), NOW);
  const abstract = abstractSection(ABSTRACT);
  insertPapers(db, [
    makeCard({ sections: [abstract] }),
    makeCard({ sourceId: 'arxiv:2609.00002' }),
  ]);
  const section = { key: 's01-own', type: 'other', title: 'Own', content: 'A plumbago argument.' };
  for (const id of [1, 2]) {
    const sections = [abstract, section];
    replaceText(db, id, { format: 'pdf', version: 1, parser: 1, sections }, NOW);
  }
  db.exec("INSERT INTO own_file VALUES ('/a.pdf', 1, 1, 'a', 1, 1)");
  migrate(db, paperMigrations, NOW);
  const list = (sql: string) => db.prepare(sql).pluck().all();
  expect(list('SELECT paper_id FROM paper_text')).toEqual([2]);
  expect(list("SELECT paper_id FROM paper_section WHERE section_key = 's01-own'")).toEqual([2]);
  const terms = "SELECT rowid >> 12 FROM paper_section_terms WHERE content MATCH 'plumbago'";
  expect(list(terms)).toEqual([2]);
  expect(list('SELECT path FROM own_file')).toEqual([]);
  db.close();
});
