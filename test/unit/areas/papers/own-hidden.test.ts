import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { migrations } from '../../../../src/app/store.ts';
import { readPdf } from '../../../../src/areas/papers/full-text/pdf/pdf.ts';
import { hideOwnPapers } from '../../../../src/areas/papers/own-hidden.ts';
import { addOwnFiles } from '../../../../src/areas/papers/own-shelf.ts';
import { listPaperNews } from '../../../../src/areas/papers/queries.ts';
import type { Context, ReadingPolicy } from '../../../../src/core/context.ts';
import { run } from '../../../../src/core/run.ts';
import { operations, prompts, resources } from '../../../../src/operations.ts';
import { indexVectors } from '../../../../src/search/profile.ts';
import { writeForCall } from '../../../../src/store/connection.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForCalls, openForWriting } from '../../../../src/store/open.ts';
import { offline } from '../../../context.ts';
import { makePdf } from '../../../stand-ins/own-pdfs.ts';
import { withVectors } from '../../../vectors.ts';
import { makeCard, noModel } from './shelf.ts';

/** The user's own papers leave no trace on a server for others, whatever a caller asks. */

const NOW = new Date('2026-11-21T12:00:00Z');
/** Words found only in own papers; the first is in an own text of an arXiv paper. */
const SECRETS = [
  'plumbago',
  'zephyrine',
  'quillfeather',
  'vexillary',
  'ottoline',
  '10.5555/secret',
];
const SECTIONS = [
  ['1 Introduction', 'The plumbago desk quotes vexillary spreads to dealers. '.repeat(60)],
] as const;
const OWN = {
  front: [
    { text: 'Zephyrine Hedging of Quotes', size: 18, bold: true },
    { text: 'Ottoline Quillfeather', size: 12 },
    { text: 'Abstract', size: 11, bold: true },
    {
      text: 'A vexillary plumbago argument on how dealers hedge quotes with options under zephyrine rules.',
    },
  ],
  sections: SECTIONS,
  foot: 'doi:10.5555/secret',
};
const STAMPED = {
  front: [
    { text: 'Dealers at arXiv', size: 18, bold: true },
    { text: 'Abstract', size: 11, bold: true },
    {
      text: 'A plumbago abstract that the public card does not have, in the own file of the paper alone.',
    },
  ],
  sections: SECTIONS,
  stamp: 'arXiv:2609.00001v1 [q-fin.TR] 1 Sep 2026',
};
const ABSTRACT = 'How dealers hedge quotes and options when inventory grows.';

/** A unit vector that is farther from that of 0 the greater its number. */
const vectorOf = (at: number) =>
  new Float32Array(384).map((_, axis) => (axis < 20 * Math.abs(at) ? -1 : 1) / Math.sqrt(384));

let folder: string;
let writer: Database;
/** Connections as used by the doors, and one to the same shelf before own files were added. */
const open = new Map<ReadingPolicy | 'before', ReturnType<typeof openForCalls>>();
let ownIds: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quantshelf-hidden-'));
  writer = withVectors(openForWriting(join(folder, 'store.sqlite')));
  migrate(writer, migrations, NOW);
  const sections = [{ key: 'abstract', type: 'abstract', title: 'Abstract', content: ABSTRACT }];
  const licenseUrl = 'http://creativecommons.org/licenses/by/4.0/';
  insertPapers(writer, [
    makeCard({ title: 'Dealers at arXiv', abstract: ABSTRACT, sections, licenseUrl }),
    ...Array.from({ length: 6 }, (_, at) =>
      makeCard({
        sourceId: `arxiv:2609.1000${at}`,
        title: `Hedging quotes ${at}`,
        abstract: ABSTRACT,
        sections,
      }),
    ),
  ]);
  // The vectors that a model would make: the own card's is the nearest to every question.
  const index = (where: string) => {
    const ids = writer.prepare<[], number>(`SELECT id FROM paper WHERE ${where}`).pluck().all();
    const cards = ids.map((id) => ({
      id,
      vector: vectorOf(id < 0 ? 0 : id),
      passages: [vectorOf(id)],
    }));
    indexVectors(writer, { name: 'paper' }, cards);
  };
  index('id > 0');
  await writer.backup(join(folder, 'before.sqlite'));
  writeFileSync(join(folder, 'own.pdf'), await makePdf(OWN));
  writeFileSync(join(folder, 'stamped.pdf'), await makePdf(STAMPED));
  const report = await addOwnFiles({
    ...{ db: writer, now: () => NOW, targets: [folder], entries: [] },
    isDryRun: false,
    isRecursive: false,
    signal: new AbortController().signal,
    parse: (document) => readPdf(Buffer.from(document), true),
    log: () => {},
    attempt: (_, work) => work().catch(() => {}),
    startProgress: () => () => {},
    loadModel: () => Promise.reject(new Error('no model')),
  });
  expect(report.counts).toEqual({ added: 1, matched: 1 });
  index('id < 0');
  ownIds = report.papers
    .filter(({ sourcePaperId }) => !sourcePaperId.startsWith('arxiv:'))
    .flatMap(({ paperCardId, sourcePaperId }) => [paperCardId, sourcePaperId]);
  for (const name of ['personal', 'loopback', 'licensed', 'before'] as const) {
    const file = name === 'before' ? 'before.sqlite' : 'store.sqlite';
    const connection = openForCalls(join(folder, file));
    const { db } = connection;
    if (name === 'licensed') writeForCall(db, () => hideOwnPapers(db));
    open.set(name, connection);
  }
});
afterAll(() => {
  for (const { db } of open.values()) db.close();
  writer.close();
  rmSync(folder, { recursive: true });
});

const dbOf = (name: ReadingPolicy | 'before') => {
  const db = open.get(name)?.db;
  if (db === undefined) throw new Error('not open');
  return db;
};

/** Everything that a caller with the scope `papers` can request, and the replies, by name. */
async function askAll(name: ReadingPolicy | 'before'): Promise<Map<string, string>> {
  const vector = vectorOf(0);
  const policy = name === 'before' ? 'licensed' : name;
  const shelf = { db: dbOf(name), now: () => NOW, policy } as const;
  const replies = new Map<string, string>();
  const questions = [
    ...[
      'dealers hedge quotes with options',
      'source:own',
      '-source:own',
      'since:2000',
      'hedging -option',
    ],
    ...[
      'zephyrin hedging',
      'plumbagos',
      'vexilary spreads',
      'papers by Quillfeather',
      'author:quillfeather',
    ],
    ...['plumbago', 'Zephyrine Hedging of Quotes', 'doi:10.5555/secret', ...ownIds],
    'Dealers widen their quotes when they hold inventory. How do they hedge with options? Which plumbago desk quotes vexillary spreads, and does Ottoline Quillfeather say so?',
  ];
  const ids = [...ownIds, '2609.00001', 'arxiv:2609.10000', '10.5555/secret', 'file:', 'x'];
  const embeddings: Context['embedQuery'][] = [noModel, async () => ({ vector })];
  const ask = async (name: string, input: unknown, embedQuery: Context['embedQuery']) => {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(name);
    const account = { name: 'a', balance: () => 100, charge: () => 99 };
    const context = { ...offline, ...shelf, embedQuery };
    const outcome = await run(operation, input, {
      open: async () => ({ context, account }),
      log: () => {},
    });
    return JSON.stringify(outcome.envelope).replace(/"requestId":"[^"]*"/g, '');
  };
  for (const [at, embedQuery] of embeddings.entries()) {
    for (const query of questions) {
      replies.set(
        `search ${at} ${query}`,
        await ask('paper_search', { query, topK: 10 }, embedQuery),
      );
    }
  }
  for (const paperCardId of ids) {
    for (const sections of [['all'], ['abstract'], ['introduction'], ['s01-introduction']]) {
      replies.set(
        `read ${paperCardId} ${sections}`,
        await ask('paper_read', { paperCardId, sections }, noModel),
      );
    }
  }
  const attempt = (name: string, work: () => unknown) => {
    try {
      replies.set(name, JSON.stringify(work()) ?? '');
    } catch (error) {
      replies.set(name, error instanceof Error ? error.message : '');
    }
  };
  const typed = [
    '',
    'a',
    '2',
    'doi',
    'file',
    'zeph',
    'zephyrine hedging',
    'dealers',
    'hedg',
    'intro',
    's0',
  ];
  for (const resource of resources.filter(({ area }) => area === 'papers' || area === null)) {
    for (const id of ids) {
      for (const section of ['all', 'abstract', 's01-introduction', 'introduction']) {
        const values = { id, section, since: '2020-01-01' };
        attempt(`${resource.name} ${id} ${section}`, () => resource.read(values, shelf));
      }
      for (const [variable, complete] of Object.entries(resource.complete ?? {})) {
        for (const text of typed) {
          attempt(`${resource.name} ${variable} ${id} ${text}`, () =>
            complete(text, shelf, { id }),
          );
        }
      }
    }
    attempt(`${resource.name} listed`, () => resource.list?.(shelf));
  }
  for (const prompt of prompts.filter(({ area }) => area === 'papers' || area === null)) {
    for (const text of ['quotes vexillary spreads to dealers', 'how dealers hedge quotes', '7d']) {
      for (const paper of [undefined, ...ids]) {
        const values = {
          topic: text,
          claim: text,
          question: text,
          since: text,
          ...(paper === undefined ? {} : { paper }),
        };
        attempt(`${prompt.name} ${text} ${paper}`, () => prompt.write(values, shelf));
      }
    }
    for (const [name, argument] of Object.entries(prompt.arguments)) {
      for (const text of typed)
        attempt(`${prompt.name} ${name} ${text}`, () => argument.complete?.(text, shelf, {}));
    }
  }
  attempt('news', () => listPaperNews(shelf.db, new Date('2020-01-01'), 50));
  return replies;
}

it('a server for others replies as if the user’s own papers had never been added', async () => {
  const [hidden, before] = [await askAll('licensed'), await askAll('before')];
  expect(hidden.size).toBeGreaterThan(400);
  for (const [name, reply] of hidden) expect(reply, name).toBe(before.get(name));
});

it('a server for others sees no row that one of the user’s own papers added to any table', () => {
  const names = dbOf('before')
    .prepare<[], string>(`
      SELECT name FROM main.sqlite_schema
      WHERE type IN ('table', 'view') AND name NOT GLOB '*_terms_*' AND (name LIKE 'paper%' OR name LIKE 'own%')
        -- No door reads these two.
        AND name NOT IN ('papers', 'paper_sections')`)
    .pluck()
    .all();
  expect(names.length).toBeGreaterThan(9);
  const countIn = (shelf: 'personal' | 'licensed' | 'before', name: string) =>
    dbOf(shelf)
      .prepare(`SELECT count(*) FROM ${name} ${name === 'paper_vocabulary' ? 'WHERE doc > 0' : ''}`)
      .pluck()
      .get();
  const grown = names.filter((name) => countIn('personal', name) !== countIn('before', name));
  expect(grown).toHaveLength(10);
  for (const name of names) expect(countIn('licensed', name), name).toBe(countIn('before', name));
});

it('only the user finds own papers by the same questions, with their paths', async () => {
  const text = [...(await askAll('personal')).values()].join('\n').toLowerCase();
  for (const secret of [...SECRETS, folder]) expect(text, secret).toContain(secret.toLowerCase());
});

it('a key on this machine reads own papers, but not their paths', async () => {
  const text = [...(await askAll('loopback')).values()].join('\n');
  expect(text).toContain('vexillary');
  expect(text).not.toContain(folder);
  expect(text).not.toContain('file://');
});
