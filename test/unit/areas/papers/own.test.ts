import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { insertPapers, type Paper } from '../../../../scripts/starter/insert-papers.ts';
import type { ArxivMetadata, ArxivRecord } from '../../../../src/areas/papers/arxiv/oai.ts';
import { parseBibliography } from '../../../../src/areas/papers/bibliography.ts';
import { exportBibtex, exportPapers } from '../../../../src/areas/papers/export.ts';
import type { Parse } from '../../../../src/areas/papers/full-text/parser.ts';
import { storeHistory, upsertRecord } from '../../../../src/areas/papers/ingest.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { findFiles } from '../../../../src/areas/papers/own-files.ts';
import { hideOwnPapers } from '../../../../src/areas/papers/own-hidden.ts';
import { readBibliography } from '../../../../src/areas/papers/own-identity.ts';
import { isUnder, listOwnFiles, removeFiles } from '../../../../src/areas/papers/own-store.ts';
import {
  findPaperBy,
  listPaperNews,
  summarisePapers,
} from '../../../../src/areas/papers/queries.ts';
import { completePaper } from '../../../../src/areas/papers/resources.ts';
import { renewStarterPapers } from '../../../../src/areas/papers/starter.ts';
import { abstractSection } from '../../../../src/areas/papers/stored-text.ts';
import { write, writeForCall } from '../../../../src/store/connection.ts';
import { openForCalls } from '../../../../src/store/open.ts';
import { describeShared } from '../../../shared.ts';
import { makeHtmlPage } from '../../../stand-ins/arxiv-pages.ts';
import {
  makeBook,
  makePdf,
  ODD_PAPERS,
  PROSE,
  unreadablePdfs,
  writeOddPapers,
} from '../../../stand-ins/own-pdfs.ts';
import { temporaryDirectory } from '../../../temporary.ts';
import { addOwn, parseHere } from './adding.ts';
import { call, makeCard, makeEmptyShelf, searchCards } from './shelf.ts';

/** The user's own files: how they are read, and which papers are recognised in them. */

/** One file grows while it is read; some are in a folder that allows listing, but no access. */
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  return {
    ...real,
    readFile: async (path: string, options: object) => {
      const bytes = await real.readFile(path, options);
      if (basename(path) === 'growing.pdf') await real.appendFile(path, ' ');
      return bytes;
    },
    stat: (path: string) =>
      basename(path).startsWith('locked.')
        ? Promise.reject(Object.assign(new Error('no access'), { code: 'EACCES' }))
        : real.stat(path),
  };
});

const FAILED =
  'its conversion failed, or reading it took too long or too much memory: try another format, or split it';
const NO_PAPER = 'it is damaged, or neither a PDF nor a page from arXiv or ar5iv';
const NOW = new Date('2026-11-21T12:00:00Z');
const ABSTRACT = 'What dealers do.';

let db: Database;
let folder: string;
beforeEach(() => {
  db = makeEmptyShelf();
  folder = temporaryDirectory();
});

const add = (options?: Parameters<typeof addOwn>[2]) => addOwn(db, folder, options);

/** Removes files as `quantshelf remove` does; returns the number of cards removed. */
const takeOff = (...paths: string[]) =>
  removeFiles(
    db,
    listOwnFiles(db).filter(({ path }) => paths.includes(path)),
  );

const paperNamed = (title: string) => {
  const paper = findPaperBy(db, 'title', title);
  if (paper === undefined) throw new Error(`no paper "${title}"`);
  return paper;
};

/** Parses the first file after the next one has been read. */
function parseFirstLate(): Parse {
  let delay = 300;
  return async (...document) => {
    const wait = new Promise((resolve) => setTimeout(resolve, delay));
    delay = 0;
    await wait;
    return parseHere(...document);
  };
}

/** What a paper's reader gets, all sections included; the error if there is none. */
async function read(paperCardId: string): Promise<string> {
  const { envelope } = await call(db, paperRead, { paperCardId });
  return JSON.stringify(envelope).replace(/"requestId":"[^"]*"/, '');
}

/** Each file's paper in a report, by the file's name. */
const byName = ({ papers }: { papers: { path: string; title: string; authors: string[] }[] }) =>
  Object.fromEntries(papers.map((paper) => [basename(paper.path), paper]));

interface Made {
  title: string;
  authors?: readonly string[];
  foot?: string;
  stamp?: string;
  text?: string;
}

/** A small PDF with this name in the folder. */
async function writePdf(name: string, { title, authors = [], text = PROSE, ...more }: Made) {
  const path = join(folder, name);
  const front = [{ text: title, size: 18 }, ...authors.map((text) => ({ text, size: 12 }))];
  const sections = [
    ['Abstract', ABSTRACT],
    ['1 Introduction', text.repeat(20)],
  ] as const;
  writeFileSync(path, await makePdf({ front, sections, ...more }));
  return path;
}

/** One of several files of a paper, with this word in its text. */
const writeTwin = (name: string, word: string) =>
  writePdf(name, { title: 'Two Files of Carry', foot: 'doi:10.5555/two', text: `${word} quotes ` });

/** Reads a bibliography with one entry. */
function readEntry(fields: string) {
  const path = join(folder, 'one.bib');
  writeFileSync(path, `@misc{a, ${fields}}`);
  return readBibliography(path, parseBibliography, () => {});
}

describe('adding a folder of papers', () => {
  let made: string;
  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'quantshelf-odd-'));
    await writeOddPapers(made);
  });
  afterAll(() => rmSync(made, { recursive: true }));
  beforeEach(() => cpSync(made, folder, { recursive: true }));

  it('takes from the documents only titles, authors, ids and dates that are certain', async () => {
    const papers = byName(await add());
    for (const [name, { stated }] of Object.entries(ODD_PAPERS)) {
      const { title, authors, year = '', sourceId = /^file:[\da-f]{64}$/ } = stated;
      expect(papers[name], name).toMatchObject({
        title,
        authors,
        published: year,
        sourcePaperId: expect.stringMatching(sourceId),
      });
    }
  });

  it('makes the papers available at once to searches, filters by source and date, and reads', async () => {
    insertPapers(db, [makeCard({ title: 'Dealers and informed flow at arXiv' })]);
    await add();
    const find = async (query: string) =>
      (await searchCards(db, { query, topK: 10 })).cards.map(({ title }) => title);
    const { cards } = await searchCards(db, { query: 'quoting under informed flow' });
    expect(cards[0]).toMatchObject({
      title: 'Quoting under Informed Flow',
      origin: 'own',
      published: '2019',
      pdfUrl: pathToFileURL(join(folder, 'plain.pdf')).href,
    });
    const own = await find('dealers informed flow source:own');
    expect(own.length).toBeGreaterThan(3);
    expect(own).not.toContain('Dealers and informed flow at arXiv');
    expect(await find('dealers informed flow -source:own')).toEqual([
      'Dealers and informed flow at arXiv',
    ]);
    expect(await read(cards[0]?.paperCardId ?? '')).toContain('sets quotes that widen with risk');
    const dated = await searchCards(db, { query: 'quotes source:own since:2000', topK: 10 });
    const dates = ['2015', '2018', '2019', '2021', '2026-09'];
    expect(dated.cards.map(({ published }) => published).sort()).toEqual(dates);
    expect(dated.meta.notice).toContain('5 of your own papers have no known date');
    const { meta } = await searchCards(db, { query: 'quotes source:own -year:2000' });
    expect(meta.notice ?? '').not.toContain('no known date');
  });

  it.each([
    ['again reads only new and changed files, and lists missing ones', false],
    ['again in a dry run reports new, changed and moved files, but stores nothing', true],
  ])('%s', async (_, isDryRun) => {
    expect((await add()).counts).toEqual({ added: 10 });
    expect(await add()).toMatchObject({ counts: { unchanged: 10 }, papers: [] });
    const { cardId } = paperNamed('Quoting under Informed Flow');
    renameSync(join(folder, 'plain.pdf'), join(folder, 'renamed.pdf'));
    copyFileSync(join(folder, 'renamed.pdf'), join(folder, 'renamed copy.pdf'));
    const missing = ['journal.pdf', 'word.pdf'].map((name) => join(folder, name));
    for (const path of missing) rmSync(path);
    await writePdf('note.pdf', { title: 'Another Note on Repo' });
    const { counts, gone } = await add({ isDryRun });
    // A dry run does not remember that the file has already turned up.
    const places = isDryRun ? { moved: 2 } : { matched: 1, moved: 1 };
    expect(counts).toEqual({ changed: 1, ...places, unchanged: 6 });
    expect(gone).toEqual(isDryRun ? [] : missing);
    const url = isDryRun ? 'plain.pdf' : 'renamed.pdf';
    const pdfUrl = pathToFileURL(join(folder, url)).href;
    expect(paperNamed('Quoting under Informed Flow')).toMatchObject({ cardId, pdfUrl });
    expect(findPaperBy(db, 'title', 'Untitled document') === undefined).toBe(!isDryRun);
    expect(summarisePapers(db)).toMatchObject({ count: 10, own: 10 });
  });

  it('leaves no rows behind after a dry run, or once the files are removed', async () => {
    expect((await add({ isDryRun: true })).papers).toHaveLength(10);
    const tables = ['paper', 'paper_section', 'paper_text', 'own_file'];
    const indexes = ['paper_terms_docsize', 'paper_section_terms_docsize'];
    const rows = () =>
      [...tables, ...indexes].map((table) =>
        db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
      );
    expect(rows()).toEqual([0, 0, 0, 0, 0, 0]);
    await add();
    expect(removeFiles(db, listOwnFiles(db))).toBe(10);
    expect(rows()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('takes titles, authors in any script, dates and DOIs from a bibliography, even one given later', async () => {
    await add();
    const bib = `
      @article{a, title={A Broker’s Week}, author={Mostra, Lu and {The Desk}}, date={2020-02},
        doi={10.5555/WEEK}, file={Full Text:note.pdf:application/pdf}}
      @misc{b, title={Who Wrote This Memo on Carry}, author={Voorbeeld, Mia}, year={2018}, month=mar,
        doi={10.48550/arXiv.1803.01234}}
      @article{c, title={订单簿的流动性}, author={王, 小明 and Жданова, Ольга}, year=2016,
        doi={10.5555/[click](x)}, file={Full Text PDF:${join(folder, 'word.pdf')}:application/pdf}}`;
    expect((await add({ bib })).counts).toMatchObject({ changed: 3, unchanged: 7 });
    const week = { authors: ['Lu Mostra', 'The Desk'], published: '2020-02' };
    expect(paperNamed('A Broker’s Week')).toMatchObject({ ...week, sourceId: 'doi:10.5555/week' });
    const memo = { authors: ['Mia Voorbeeld'], published: '2018-03' };
    expect(paperNamed('Who Wrote This Memo on Carry')).toMatchObject(memo);
    const { cards } = await searchCards(db, { query: 'Жданова 流动性 订单簿的流动性' });
    const authors = ['小明 王', 'Ольга Жданова'];
    expect(cards[0]).toMatchObject({ title: '订单簿的流动性', authors, published: '2016' });
    const unnamed = { doi: null, sourceId: expect.stringMatching(/^file:/) };
    expect(paperNamed('订单簿的流动性')).toMatchObject(unnamed);
    expect(summarisePapers(db).count).toBe(10);
    expect((await add({ bib })).counts).toEqual({ unchanged: 10 });
  });

  it('keeps the facts from a bibliography when the content of a file with a DOI changes', async () => {
    const bib = `
      @article{a, title={A Broker’s Week}, author={Mostra, Lu}, date={2020-02-03},
        doi={10.5555/WEEK}, file={note.pdf}}
      @article{b, title={Volatility of Made Series}, date={2015-04}, file={journal.pdf}}`;
    await add({ bib });
    await writePdf('note.pdf', { title: 'The Same with Notes in its Margin' });
    const journal = readFileSync(join(folder, 'journal.pdf'));
    writeFileSync(join(folder, 'journal.pdf'), `${journal.toString('latin1')}\n`, 'latin1');
    expect((await add()).counts).toEqual({ changed: 2, unchanged: 8 });
    expect(paperNamed('A Broker’s Week')).toMatchObject({
      sourceId: 'doi:10.5555/week',
      doi: '10.5555/week',
      authors: ['Lu Mostra'],
      published: '2020-02-03',
    });
    expect(paperNamed('Volatility of Made Series')).toMatchObject({ published: '2015-04' });
    await writePdf('note.pdf', { title: 'The Next Note', foot: 'doi:10.5555/next' });
    await add();
    expect(paperNamed('The Next Note').sourceId).toBe('doi:10.5555/next');
    // Only a card of arXiv is reported if neither its title nor its authors match.
    await writePdf('note.pdf', { title: 'A Retitled Note', foot: 'doi:10.5555/next' });
    expect(await add()).toMatchObject({ counts: { changed: 1 }, log: [] });
  });

  it('reads no further files once the store has failed', async () => {
    let reads = 0;
    const parse: Parse = async () => {
      reads += 1;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    const { error } = await add({ parse });
    // Two files are read at a time; a third would be read soon.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reads).toBeLessThanOrEqual(2);
    expect(error).toContain('full');
  });

  it('uses the first paragraph as the abstract if none is labelled, and a notice mentions it', async () => {
    await add({ targets: [join(folder, 'note.pdf')] });
    const { cardId, abstract } = paperNamed('Untitled document');
    expect(abstract).toContain(PROSE.slice(0, 60));
    expect(await read(cardId)).toContain('The document has no labelled abstract');
  });
});

it.each([
  ['drops a malformed DOI', 'doi={10.5555 and more}', { doi: /^null$/ }],
  ['drops a DOI of over 255 characters', `doi={10.5555/${'x'.repeat(248)}}`, { doi: /^null$/ }],
  ['drops an impossible day', 'date={2021-02-31}', { published: /^2021-02$/ }],
  ['cuts a long journal', `journal={${'Letters '.repeat(200)}}`, { journalRef: /^.{990,1000}$/ }],
  [
    'keeps at most 100 authors',
    `author={${'A B and '.repeat(150)}A B}`,
    { authors: /^(A B,){100}others$/ },
  ],
  ['cuts a long author name', `author={{${'Desk '.repeat(100)}}}`, { authors: /^.{190,200}$/ }],
  ['cuts a long title', `title={${'Carry '.repeat(200)}}`, { title: /^.{490,500}$/ }],
])('reading a bibliography %s', async (_, field, limited) => {
  const [entry] = await readEntry(`${field}${field.startsWith('title') ? '' : ', title={A}'}`);
  for (const [name, value] of Object.entries(limited)) {
    expect(String(Reflect.get(entry ?? {}, name))).toMatch(value);
  }
});

it.each([
  ['10.1890/a(2006)87[1445:AFC]2.0.CO;2', '10.1890/a(2006)87[1445:afc]2.0.co;2'],
  ['10.1002/(SICI)1<15::AID-X>3.0.CO;2-#', '10.1002/(sici)1<15::aid-x>3.0.co;2-#'],
  ['10.1002/223:1<R1::AID-X>3.0.CO;2', '10.1002/223:1<r1::aid-x>3.0.co;2'],
  ["https://doi.org/10.5555/a,b&c%d'e=f~g*h!i", "10.5555/a,b&c%d'e=f~g*h!i"],
  [String.raw`10.5555/a\_b\&c`, '10.5555/a_b&c'],
])('the DOI %s in a bibliography is read as %s', async (written, doi) => {
  expect(await readEntry(`title={A}, doi={${written}}`)).toMatchObject([{ doi }]);
});

it('a DOI with Markdown, HTML or a quotation mark is dropped from a bibliography', async () => {
  const links = ['[click](https://a.example)', '![a][b]', '<img/src=//a.example>'];
  for (const end of [...links, '<https://a.example>', '`code`', 'a"b'])
    expect(await readEntry(`title={A}, doi={10.5555/${end}}`), end).toMatchObject([{ doi: null }]);
});

it('a file that contains the titles of two bibliography entries gets the facts of the one with the longer title', async () => {
  const [short, long] = ['Carry in Calm Bond Markets', 'Carry in Calm Bond Markets Revisited'];
  await writePdf('a.pdf', { title: long });
  const bib = `@misc{a, title={${short}}} @misc{b, title={${long}}, date={2020-02}}`;
  await add({ bib });
  expect(paperNamed(long)).toMatchObject({ published: '2020-02' });
});

describe('several files of a paper', () => {
  it('get facts from a bibliography, and are read again only if the facts change', async () => {
    await writePdf('x1.pdf', { title: 'One' });
    const bib = (author: string) => `
      @misc{a, title={Carry in calm markets, a draft}, doi={10.5555/carry}, file={x1.pdf}}
      @misc{b, title={Carry in Calm Markets}, ${author} doi={10.5555/carry}, file={x2.pdf}}`;
    const countsWith = async (author: string) => (await add({ bib: bib(author) })).counts;
    await countsWith('');
    await writePdf('x2.pdf', { title: 'Two' });
    expect(await countsWith('')).toEqual({ unchanged: 1, matched: 1 });
    expect(await countsWith('')).toEqual({ unchanged: 2 });
    const author = 'author={Voorbeeld, Mia},';
    expect(await countsWith(author)).toEqual({ changed: 1, unchanged: 1 });
    expect(paperNamed('Carry in Calm Markets').authors).toEqual(['Mia Voorbeeld']);
    expect(await countsWith(author)).toEqual({ unchanged: 2 });
  });

  it.each([
    ['the user’s own card', []],
    ['arXiv’s card', [makeCard({ title: 'Two Files of Carry' })]],
  ])('give %s the text of the file that was last added or changed', async (_, cards) => {
    insertPapers(db, cards);
    db.exec("UPDATE paper SET doi = '10.5555/two'");
    const isOwn = cards.length === 0;
    const textAfter = async (options = {}) => {
      const { counts } = await add(options);
      const { cardId } = paperNamed('Two Files of Carry');
      return [counts, ...(/alpine|boreal|coastal/.exec(await read(cardId)) ?? [])];
    };
    const first = await writeTwin('y1.pdf', 'alpine');
    const second = await writeTwin('y2.pdf', 'boreal');
    // The second is ready before the first, and still the last.
    const both = isOwn ? { added: 1, matched: 1 } : { matched: 2 };
    expect(await textAfter({ parse: parseFirstLate() })).toEqual([both, 'boreal']);
    await writeTwin('y1.pdf', 'coastal');
    expect(await textAfter()).toEqual([{ changed: 1, unchanged: 1 }, 'coastal']);
    // Touched, not changed.
    utimesSync(second, NOW, NOW);
    expect(await textAfter()).toEqual([{ unchanged: 2 }, 'coastal']);
    // Its content is another paper's now, and the next run reads the other file again.
    await writePdf('y1.pdf', { title: 'Another Paper on Carry', foot: 'doi:10.5555/another' });
    await add({ targets: [first] });
    const again = isOwn ? 'added' : 'matched';
    expect(await textAfter()).toEqual([{ [again]: 1, unchanged: 1 }, 'boreal']);
  });

  it('are not mixed up if one is renamed and a file of another paper takes its name', async () => {
    const [old, renamed] = [await writeTwin('a.pdf', 'alpine'), join(folder, 'b.pdf')];
    await add();
    renameSync(old, renamed);
    await writePdf('a.pdf', { title: 'Another Paper on Carry', foot: 'doi:10.5555/another' });
    const why = 'it changed while it was being read: add it again';
    expect(await add({ parse: parseFirstLate() })).toMatchObject({
      counts: { changed: 1 },
      failed: [{ path: renamed, why }],
    });
    expect((await add()).counts).toEqual({ added: 1, unchanged: 1 });
    expect(await read(paperNamed('Two Files of Carry').cardId)).toContain('alpine');
  });

  it('keep their text on the shelf until the last one with this content is removed', async () => {
    const first = await writeTwin('z1.pdf', 'alpine');
    const [copy, last] = [join(folder, 'z2.pdf'), await writeTwin('z3.pdf', 'alpine')];
    copyFileSync(first, copy);
    await add();
    copyFileSync(first, last);
    await add();
    const { cardId } = paperNamed('Two Files of Carry');
    expect(takeOff(last)).toBe(0);
    expect(paperNamed('Two Files of Carry').pdfUrl).toBe(pathToFileURL(copy).href);
    expect(await read(cardId)).toContain('alpine');
    expect(takeOff(first, copy)).toBe(1);
    expect(await read(cardId)).not.toContain('alpine');
  });
});

const TITLE = 'What arXiv Calls It';
const metadata: ArxivMetadata = {
  title: TITLE,
  authors: ['Hal Beispiel'],
  abstract: 'What arXiv says of it.',
  categories: ['q-fin.TR'],
  versions: [],
  created: '2026-09-03',
  updated: null,
  comment: null,
  journalRef: null,
  doi: null,
  licenseUrl: null,
};
const listed = { id: '2609.01234', datestamp: '2026-09-04', metadata };
/** Stores arXiv's record. */
const sync = (record: ArxivRecord) =>
  write(db, () => upsertRecord(db, record, new Date('2026-11-25T12:00:00Z')));

describe('a file of a paper that is also on arXiv', () => {
  const STAMPED = 'A Stamped Paper on Rates';
  const stamp = 'arXiv:2609.01234v2 [q-fin.TR] 3 Sep 2026';
  const QUOTE = 'sets quotes that widen with risk';
  it('supplies the text of arXiv’s card, or has a card of its own while arXiv lists none', async () => {
    await writePdf('stamped.pdf', { title: STAMPED, stamp });
    const bib = `@misc{a, title={${STAMPED}}, date={1999-01-02}, file={stamped.pdf}}`;
    await add({ bib });
    const { cardId } = paperNamed(STAMPED);
    const find = async (query: string) => {
      const { cards } = await searchCards(db, { query });
      return cards.map(({ title, published, origin }) => [title, published, origin]);
    };
    const own = [STAMPED, '1999-01-02', 'own'];
    expect(await find('arXiv 2609.01234')).toEqual([own]);
    expect(sync(listed)).toBe('added');
    const card = [TITLE, '2026-09-03', undefined];
    expect(await find('source:own')).toEqual([card]);
    expect(await find('stamped rates')).toEqual([]);
    const text = await read('2609.01234');
    for (const part of [cardId, 'What arXiv says of it.', QUOTE]) expect(text).toContain(part);
    expect(summarisePapers(db)).toMatchObject({ count: 1, own: 1, withFullText: 1 });
    // The card that arXiv withdrew gives way to the file's own.
    expect(sync({ ...listed, metadata: null })).toBe('withdrawn');
    for (const query of ['source:own', 'stamped rates', 'arXiv 2609.01234'])
      expect(await find(query), query).toEqual([own]);
    for (const id of ['2609.01234', cardId]) {
      const reading = await read(id);
      expect(reading).toContain(QUOTE);
      expect(reading).toContain('This paper was withdrawn from arXiv on 2026-09-04.');
    }
    expect((await add({ bib })).counts).toEqual({ unchanged: 1 });
    expect(sync({ ...listed, datestamp: '2026-09-05' })).toBe('changed');
    expect(await find('source:own')).toEqual([card]);
    expect(await read('2609.01234')).not.toContain('withdrawn');
    // The list of versions may restore it as well.
    sync({ ...listed, metadata: null });
    const versions = [{ version: 1, day: '2026-09-03' }];
    const history = { ...listed, metadata: { ...metadata, versions } };
    write(db, () => storeHistory(db, history, NOW));
    expect(await find('source:own')).toEqual([card]);
    expect(await read('2609.01234')).toContain(QUOTE);
  });

  it('has arXiv’s ids in views, exports, news and completions while arXiv’s card is withdrawn', async () => {
    sync(listed);
    await writePdf('stamped.pdf', { title: STAMPED, stamp });
    await add();
    sync({ ...listed, metadata: null });
    const { cardId } = paperNamed(STAMPED);
    const sourceId = `arxiv:${listed.id}`;
    const rows = (sql: string) => db.prepare(`SELECT DISTINCT ${sql}`).raw().all();
    const ids = 'paperCardId, sourcePaperId FROM';
    for (const view of [
      'papers',
      'paper_sections',
      'papers JOIN paper_sections USING (paperCardId, sourcePaperId)',
    ])
      expect(rows(`${ids} ${view}`), view).toEqual([[cardId, sourceId]]);
    for (const names of [[], [listed.id]]) {
      const { columns, rows: exported } = exportPapers(db, { ids: names });
      const [row = []] = [...exported];
      expect(row[columns.indexOf('paperCardId')]).toBe(cardId);
      expect([...exportBibtex(db, { ids: names })].join()).toContain(STAMPED);
    }
    const [news] = listPaperNews(db, new Date('2020-01-01'), 9);
    expect(news?.items).toEqual([{ id: sourceId, text: STAMPED }]);
    const context = { db, now: () => NOW, policy: 'personal' as const };
    for (const typed of ['', '2609.', 'stamped'])
      expect(completePaper(typed, context, {}), typed).toEqual([listed.id]);
  });

  it.each([
    ['listed', []],
    ['withdrawn', [{ ...listed, metadata: null }]],
  ])('supplies the text of a %s arXiv card until the file is removed', async (_, then) => {
    for (const record of [listed, ...then]) sync(record);
    const before = await read('2609.01234');
    const path = await writePdf('stamped.pdf', { title: STAMPED, stamp });
    const { counts, log } = await add();
    expect(counts).toEqual({ matched: 1 });
    expect(log).toEqual([
      `${path}: its arXiv id is that of "${TITLE}", but neither title nor authors match: check the id.`,
    ]);
    expect(await read('2609.01234')).toContain(QUOTE);
    expect(takeOff(path)).toBe(then.length);
    expect(await read('2609.01234')).toBe(before);
  });

  it('is matched by its id, or by title and an author, and a notice says whose text is served', async () => {
    await writePdf('stamped.pdf', { title: STAMPED, stamp });
    await writePdf('plain.pdf', { title: 'Quoting under Informed Flow', authors: ['Ben Muster'] });
    const more = { title: 'Quoting Under Informed Flow', authors: ['Muster, B.'] };
    insertPapers(db, [
      makeCard({ sourceId: 'arxiv:2609.01234', version: 3 }),
      makeCard({ sourceId: 'arxiv:2609.00002', version: 3, ...more }),
    ]);
    const { asOf } = summarisePapers(db);
    expect((await add()).counts).toEqual({ matched: 2 });
    // Own files do not affect the age of arXiv's papers.
    expect(summarisePapers(db)).toMatchObject({ count: 2, asOf });
    const stamped = await read('2609.01234');
    expect(stamped).toContain('The text is from your own file.');
    expect(stamped).toContain('the text is of version 2; the current version is 3."');
    expect(await read('2609.00002')).toContain('of an unknown version');
  });
});

describe('matching files with arXiv’s card', () => {
  const PRINTED = 'Quoting under Informed Flow';
  const AUTHOR = 'Ben Muster';
  const ID = listed.id;
  const writeSigned = (name: string, authors: readonly string[], foot = '') =>
    writePdf(name, { title: PRINTED, authors, foot });
  const list = (more: Partial<ArxivMetadata>) =>
    sync({ ...listed, metadata: { ...metadata, authors: [AUTHOR], ...more } });
  const expectOneCard = async () => {
    expect(summarisePapers(db)).toMatchObject({ count: 1, own: 1 });
    expect(await read(ID)).toContain(PROSE);
  };

  it('includes a second file that states an author, although the first states none', async () => {
    list({ title: PRINTED });
    await writeSigned('a.pdf', []);
    expect((await add()).counts).toEqual({ added: 1 });
    await writeSigned('b.pdf', [AUTHOR]);
    expect((await add()).counts).toEqual({ matched: 1, unchanged: 1 });
    expect(await read(ID)).toContain(PROSE);
    expect(paperNamed(PRINTED).sourceId).toBe(`arxiv:${ID}`);
  });

  it('logs no warning if the titles differ but an author matches', async () => {
    list({});
    await writeSigned(`${ID}.pdf`, [AUTHOR]);
    expect(await add()).toMatchObject({ counts: { matched: 1 }, log: [] });
  });

  it('includes a changed file if arXiv has listed the paper since the file was added', async () => {
    await writeSigned('a.pdf', [AUTHOR]);
    await add();
    list({ title: PRINTED });
    await writeSigned('a.pdf', [AUTHOR, 'Ann Other']);
    expect((await add()).counts).toEqual({ changed: 1 });
    await expectOneCard();
  });

  it('moves the files of the user’s card with the same DOI to arXiv’s card', async () => {
    const doi = '10.5555/brown:own:2001';
    await writeSigned('a.pdf', [], `doi:${doi}`);
    await add();
    expect(paperNamed(PRINTED).sourceId).toBe(`doi:${doi}`);
    list({ doi: doi.toUpperCase() });
    await writeSigned('b.pdf', [AUTHOR], `doi:${doi}`);
    expect((await add()).counts).toEqual({ matched: 1, unchanged: 1 });
    await expectOneCard();
    expect((await add()).counts).toEqual({ unchanged: 2 });
    expect(takeOff(join(folder, 'a.pdf'), join(folder, 'b.pdf'))).toBe(0);
    expect(listOwnFiles(db)).toEqual([]);
  });

  it.each([
    ['a DOI', [], 'doi:10.5555/first'],
    ['a title', [AUTHOR], undefined],
  ])(
    'uses %s that only the bibliography entry of the first file states',
    async (_, authors, foot) => {
      await writePdf(`${ID}.pdf`, { title: 'The Preprint' });
      const bib = `@misc{a, title={${PRINTED}}, doi={10.5555/FIRST}, file={${ID}.pdf}}`;
      await writeSigned('b.pdf', authors, foot);
      for (const isWithdrawn of [false, true]) {
        list({});
        await add({ bib, targets: [join(folder, `${ID}.pdf`)] });
        if (isWithdrawn) sync({ ...listed, metadata: null });
        expect((await add()).counts).toEqual({ matched: 1, unchanged: 1 });
        for (const query of ['doi:10.5555/first', PRINTED]) {
          const { cards, meta } = await searchCards(db, { query });
          expect(cards[0]?.sourcePaperId, query).toBe(`arxiv:${ID}`);
          // A question by title names the card that it found.
          const named = `title: ${isWithdrawn ? PRINTED : TITLE}`;
          if (query === PRINTED) expect(meta.understood).toContain(named);
        }
        takeOff(...listOwnFiles(db).map(({ path }) => path));
      }
    },
  );
});

describe('a file of a bundled paper', () => {
  const ID = '2609.00001';
  const bundled = makeCard({ origin: 'starter', sections: [abstractSection('What it bundles.')] });
  /** Installs a package with this card, or one without it. */
  const upgrade = (cards: Paper[]) => {
    const starter = makeEmptyShelf();
    insertPapers(starter, cards);
    for (const renew of renewStarterPapers(db, starter)) write(db, renew);
  };
  const listAll = () =>
    db.prepare('SELECT title FROM paper WHERE withdrawn = 0 ORDER BY id').pluck().all();
  /** What others are served, as on a shelf without own papers. */
  const readAsOthers = async () => {
    const theirs = openForCalls(db.name).db;
    writeForCall(theirs, () => hideOwnPapers(theirs));
    const { envelope } = await call(theirs, paperRead, { paperCardId: ID });
    theirs.close();
    return JSON.stringify(envelope);
  };

  it('stays in place if a sync takes the card over while a renewal is about to remove it', () => {
    upgrade([bundled]);
    const [first] = renewStarterPapers(db, makeEmptyShelf());
    db.exec("UPDATE paper SET origin = 'arxiv'");
    write(db, first ?? expect.unreachable());
    expect(listAll()).toEqual([bundled.title]);
  });

  it('supplies the text of a newer package’s card, and gets its own card when a package drops that card', async () => {
    await writePdf(`${ID}.pdf`, { title: 'A Copy' });
    expect((await add()).log).toEqual([]);
    for (const _ of [1, 2]) {
      upgrade([bundled]);
      expect(listAll()).toEqual([bundled.title]);
      expect(await read(ID)).toContain(PROSE);
      expect(await readAsOthers()).toContain('What it bundles.');
      upgrade([]);
      expect(listAll()).toEqual(['A Copy']);
      expect(await read(ID)).toContain(PROSE);
      expect(await readAsOthers()).toContain('"not_found"');
      for (const query of ['copy', `arXiv ${ID}`]) {
        const { cards } = await searchCards(db, { query });
        expect(cards, query).toMatchObject([{ title: 'A Copy', sourcePaperId: `arxiv:${ID}` }]);
      }
      expect((await add()).counts).toEqual({ unchanged: 1 });
    }
    expect(takeOff(join(folder, `${ID}.pdf`))).toBe(1);
    expect(listAll()).toEqual([]);
  });
});

it.each([
  ['b', 'counts'],
  [join('b', 'a.pdf'), 'counts'],
  ['bc', 'does not count'],
])('the path %s %s as inside the folder b', (path, verb) => {
  expect(isUnder(join(folder, path), join(folder, 'b'))).toBe(verb === 'counts');
});

describe('added files', () => {
  it('get one line each in the log, with the reason, if they cannot be read', async () => {
    for (const [name, bytes] of Object.entries(await unreadablePdfs()))
      writeFileSync(join(folder, name), bytes);
    await writePdf('slow.pdf', { title: 'A Paper that Takes a Minute' });
    await writePdf('growing.pdf', { title: 'A Paper that is Being Written' });
    await writePdf('whole.pdf', { title: 'A Paper among Others' });
    writeFileSync(join(folder, 'large.pdf'), '');
    truncateSync(join(folder, 'large.pdf'), 60_000_001);
    writeFileSync(join(folder, 'shopping.html'), '<p>milk</p>');
    writeFileSync(join(folder, 'recipe.html'), '<p>flour</p>');
    writeFileSync(join(folder, 'failed.html'), '<p class="ltx_document ar5iv-severity-fatal">');
    writeFileSync(join(folder, 'short.html'), '<article class="ltx_document"><p>A note.</p>');
    writeFileSync(join(folder, 'notes.txt'), 'none');
    const named = ['missing.pdf', 'shopping.html'].map((name) => join(folder, name));
    const slow = readFileSync(join(folder, 'slow.pdf'));
    const { failed, log } = await add({
      targets: [folder, ...named],
      // The parser's reply after it has terminated the thread.
      parse: async (document, signal) =>
        typeof document !== 'string' && slow.equals(document)
          ? { ok: false, reason: 'failed conversion' }
          : parseHere(document, signal),
    });
    const why = Object.fromEntries(failed.map(({ path, why }) => [basename(path), why]));
    expect(why).toEqual({
      'damaged.pdf': NO_PAPER,
      'encrypted.pdf': 'it is encrypted: save a copy without a password',
      'growing.pdf': 'it changed while it was being read: add it again',
      'large.pdf': 'it is larger than 60 MB: split it',
      'long.pdf': 'it has more than 1,500 pages: split it',
      'missing.pdf': 'no such file or directory',
      'scan.pdf': 'it has too little text: a scan needs OCR first',
      'shopping.html': NO_PAPER,
      'short.html': 'it has too little text to be a paper',
      'failed.html': FAILED,
      'slow.pdf': FAILED,
    });
    expect(log).toHaveLength(12);
    const recipe = join(folder, 'recipe.html');
    expect(log.at(-1)).toBe(
      `Ignored, since they are not HTML papers from arXiv or ar5iv: ${recipe}.`,
    );
    expect(summarisePapers(db).count).toBe(1);
  });

  it('are read if they have a page of text, but not if each page has only a stamp', async () => {
    const text = PROSE.repeat(2);
    const front = [{ text: 'A Page on Carry', size: 18 }];
    writeFileSync(join(folder, 'page.pdf'), await makePdf({ front, sections: [['', text]] }));
    // A scan whose pages have a stamp each.
    const stamp = 'Downloaded from a library in 2020. '.repeat(2);
    const scan = await makePdf({ front: [], sections: [['', stamp]], pages: 3 });
    writeFileSync(join(folder, 'scan.pdf'), scan);
    const { papers, failed } = await add();
    expect(papers.map(({ title }) => title)).toEqual(['A Page on Carry']);
    expect(failed).toMatchObject([{ why: 'it has too little text: a scan needs OCR first' }]);
  });

  it('keep their earlier text if their new version is unreadable', async () => {
    const path = await writePdf('a.pdf', { title: 'A Paper that Stays' });
    await add();
    writeFileSync(path, 'half of it');
    expect((await add()).failed).toHaveLength(1);
    expect(await read(paperNamed('A Paper that Stays').cardId)).toContain(PROSE);
  });

  it('are read once even if they are named twice or linked in cycles, and in subfolders only on request', async () => {
    mkdirSync(join(folder, 'deep'));
    await writePdf(join('deep', 'данные 数据.pdf'), { title: 'Deep Down Papers' });
    symlinkSync(folder, join(folder, 'deep', 'circle'));
    for (const name of ['broken.pdf', 'broken.csv'])
      symlinkSync(join(folder, 'nowhere'), join(folder, name));
    for (const name of ['locked.pdf', 'locked.csv', 'locked.html'])
      writeFileSync(join(folder, name), '');
    expect((await add()).counts).toEqual({});
    const { papers, failed } = await add({ targets: [folder, folder], isRecursive: true });
    expect(papers.map(({ title }) => title)).toEqual(['Deep Down Papers']);
    const names = failed.map(({ path }) => basename(path));
    expect(names).toEqual(['broken.pdf', 'locked.html', 'locked.pdf']);
  });

  it.skipIf(process.platform === 'win32')('are refused if they are pipes', async () => {
    const pipe = join(folder, 'pipe.pdf');
    execFileSync('mkfifo', [pipe]);
    const { signal } = new AbortController();
    const faults: unknown[] = [];
    const fail = (path: string, error: unknown) => faults.push([path, String(error)]);
    for (const target of [pipe, folder])
      expect(await findFiles([target], false, signal, fail)).toEqual([]);
    expect(faults).toEqual([[pipe, 'ServiceError: it is neither a file nor a folder']]);
    await expect(readBibliography(pipe, parseBibliography, () => {})).rejects.toThrow(
      'is not a readable file',
    );
  });
});

it.each([
  ['numbers them', [1, 2, 3, 4, 5].map((at) => `Chapter ${at}\n`), false],
  ['heads them with titles that its bookmarks name', ['', '', '', '', ''], true],
])('a book of 600 pages is split into chapters if it %s', async (_, numbers, hasOutline) => {
  const titles = ['Dealers', 'Inventory', 'Orders that Know More', 'Auctions', 'Term Premia'];
  const chapters = titles.map((words, at) => `${numbers[at]}${words}`);
  writeFileSync(join(folder, 'book.pdf'), await makeBook(chapters, hasOutline));
  expect(byName(await add())['book.pdf']).toMatchObject({ authors: ['Ada Example'] });
  const text = await read(paperNamed('A Made Book of Market Making').cardId);
  for (const chapter of chapters) expect(text).toContain(`"${chapter.replace('\n', ': ')}"`);
});

it('a saved arXiv page gets the id in its own address or file name, not that of a paper it cites', async () => {
  const page = makeHtmlPage({
    title: 'A Saved Page on Rates',
    authors: ['Hal Beispiel', 'Ida Esempio'],
    abstract: ABSTRACT,
    sections: [{ title: 'Introduction', text: PROSE.repeat(9) }],
    references: ['Another Author. Another paper. arXiv:2208.10264 [cs.CL].'],
  });
  const saved = '<!-- saved from url=(0037)https://arxiv.org/html/2609.01234v2 -->\n';
  const at = (id: string) => page.replace('<head>', `<head><link rel="canonical" href="${id}"/>`);
  writeFileSync(join(folder, 'a.html'), page);
  writeFileSync(join(folder, 'b.html'), saved + page);
  writeFileSync(join(folder, 'c.html'), at('https://ar5iv.labs.arxiv.org/html/2609.01235'));
  writeFileSync(join(folder, '2609.01236v1.html'), page.replace('Rates', 'Carry'));
  const report = await add();
  const ids = report.papers.map(({ path, sourcePaperId }) => [basename(path), sourcePaperId]);
  expect(Object.fromEntries(ids)).toEqual({
    'a.html': expect.stringMatching(/^file:/),
    'b.html': 'arxiv:2609.01234',
    'c.html': 'arxiv:2609.01235',
    '2609.01236v1.html': 'arxiv:2609.01236',
  });
  const stated = { title: 'A Saved Page on Rates', authors: ['Hal Beispiel', 'Ida Esempio'] };
  expect(byName(report)['b.html']).toMatchObject(stated);
});

/** Titles as printed, the number of authors read, and the id; a wrong author would change the number. */
const PRINTED: Readonly<Record<string, readonly [title: string, authors: number, id: string]>> = {
  '2023.eacl-main.121.pdf': ['LONGEVAL: Guidelines for Human Evaluation of', 7, 'file'],
  '2503.08696.pdf': ['Multimodal Stock Price Prediction: A Case', 2, 'arxiv:2503.08696'],
  'N18-3011.pdf': ['Construction of the Literature Graph in', 23, 'file'],
  'futoma2017.pdf': ['An Improved Multi-Output Gaussian Process RNN', 8, 'arxiv:1708.05894'],
  '1311.0066.html': ['K-theoretic Chow groups of derived categories', 1, 'arxiv:1311.0066'],
  '1706.03762v7-oxide.html': ['Attention Is All You Need', 8, 'arxiv:1706.03762'],
  '1810.04805-bert.html': ['BERT: Pre-training of Deep Bidirectional', 4, 'arxiv:1810.04805'],
  '2407.16314v1.html': ['Capital as Artificial Intelligence', 2, 'arxiv:2407.16314'],
  '2501.11120v1.html': ['Tell me about yourself: LLMs are aware', 0, 'arxiv:2501.11120'],
  '2510.11260.html': ['A Large-Language-Model Assisted Automated', 5, 'arxiv:2510.11260'],
  'ar5iv-2201.00020.html': ['Geometric Fluctuation of Conformal Hilbert', 2, 'arxiv:2201.00020'],
  'ar5iv-2402.08189.html': ['Simulating Human Strategic Behavior: Comparing', 2, 'file'],
  'ar5iv-2602.02868.html': ['Quantum Information Flow in Microtubule', 3, 'arxiv:2602.02868'],
  'latexml-2310.06825.html': ['Mistral 7B', 18, 'file'],
};

describeShared('real documents', 'data/papers', (papers) => {
  it('get their printed titles, authors and ids, and one is found by its subject', async () => {
    for (const from of [join(papers, 'pdf'), join(papers, 'html', 'real')]) {
      for (const name of readdirSync(from)) {
        if (!(name.replace(/\.gz$/, '') in PRINTED)) continue;
        const bytes = readFileSync(join(from, name));
        const isPacked = name.endsWith('.gz');
        const path = join(folder, name.replace(/\.gz$/, ''));
        writeFileSync(path, isPacked ? gunzipSync(bytes) : bytes);
      }
    }
    const read = byName(await add());
    for (const [name, [title, authors, id]] of Object.entries(PRINTED)) {
      expect(read[name]?.title.startsWith(title), `${name}: ${read[name]?.title}`).toBe(true);
      expect(read[name]?.authors, name).toHaveLength(authors);
      expect(read[name], name).toMatchObject({ sourcePaperId: expect.stringMatching(`^${id}`) });
    }
    const query = 'recurrent network that detects sepsis in a hospital';
    const { cards } = await searchCards(db, { query });
    expect(cards[0]?.title).toContain('Sepsis');
  });
});
