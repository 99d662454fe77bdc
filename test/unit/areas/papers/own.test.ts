import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
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
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { attempt } from '../../../../src/app/sync.ts';
import type { ArxivRecord } from '../../../../src/areas/papers/arxiv/oai.ts';
import { parseBibliography } from '../../../../src/areas/papers/bibliography.ts';
import { readHtml } from '../../../../src/areas/papers/full-text/html/html.ts';
import type { Parse } from '../../../../src/areas/papers/full-text/parser.ts';
import { readPdf } from '../../../../src/areas/papers/full-text/pdf/pdf.ts';
import { upsertRecord } from '../../../../src/areas/papers/ingest.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { findFiles } from '../../../../src/areas/papers/own-files.ts';
import { readBibliography } from '../../../../src/areas/papers/own-identity.ts';
import { addOwnFiles } from '../../../../src/areas/papers/own-shelf.ts';
import { listOwnFiles, removeFiles } from '../../../../src/areas/papers/own-store.ts';
import { addPassages } from '../../../../src/areas/papers/passages.ts';
import {
  findPaperByTitle,
  getPaperById,
  listPaperNews,
  summarisePapers,
} from '../../../../src/areas/papers/queries.ts';
import { renewStarterPapers } from '../../../../src/areas/papers/starter.ts';
import { listWithoutText } from '../../../../src/areas/papers/stored-text.ts';
import { write } from '../../../../src/store/connection.ts';
import { replaceRows } from '../../../../src/store/copy.ts';
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
import { call, makeCard, makeEmptyShelf, makeStarterShelf, searchCards } from './shelf.ts';

/** The user's own files: their outcome, and the papers recognised in them. */

/** One file grows while it is read. */
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  return {
    ...real,
    readFile: async (path: string, options: object) => {
      const bytes = await real.readFile(path, options);
      if (basename(path) === 'growing.pdf') await real.appendFile(path, ' ');
      return bytes;
    },
  };
});

const NO_PAPER = 'it is damaged, or neither a PDF nor a page from arXiv or ar5iv';
const NOW = new Date('2026-11-21T12:00:00Z');
/** Does the parser thread's work in this thread. */
const parse: Parse = async (document) => {
  const result =
    typeof document === 'string' ? readHtml(document, true) : await readPdf(document, true);
  return result.ok ? { ...result, sections: addPassages(result.sections) } : result;
};

let shelf: ReturnType<typeof makeEmptyShelf>;
let folder: string;
beforeEach(() => {
  shelf = makeEmptyShelf();
  folder = mkdtempSync(join(tmpdir(), 'quantshelf-own-'));
});
afterEach(() => {
  shelf.remove();
  rmSync(folder, { recursive: true });
});

interface More {
  bib?: string;
  isDryRun?: boolean;
  isRecursive?: boolean;
  signal?: AbortSignal;
  parse?: Parse;
}

async function add(targets: readonly string[], more: More = {}) {
  const { bib = '', isDryRun = false, isRecursive = false } = more;
  const { signal } = new AbortController();
  const path = join(folder, 'own.bib');
  writeFileSync(path, bib);
  const entries = await readBibliography(path, parseBibliography, () => {});
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const report = await addOwnFiles({
    ...{
      db: shelf.db,
      now: () => NOW,
      parse,
      targets,
      entries,
      isDryRun,
      isRecursive,
      signal,
      log,
    },
    attempt: (report, work) =>
      attempt({ home: folder, signal: more.signal ?? signal, log }, report, work),
    startProgress: () => () => {},
    loadModel: async () => {
      throw new Error('no model here');
    },
    ...more,
  });
  return { report, log: lines };
}

const paperNamed = (title: string) => {
  const paper = findPaperByTitle(shelf.db, title);
  if (paper === undefined) throw new Error(`no paper "${title}"`);
  return paper;
};

function record(id: string, title: string): ArxivRecord {
  const metadata = {
    ...{ title, authors: ['Hal Beispiel'], abstract: 'What arXiv says of it.', versions: [] },
    ...{ categories: ['q-fin.TR'], created: '2026-09-03', updated: null, comment: null },
    ...{ journalRef: null, doi: null, licenseUrl: 'http://creativecommons.org/licenses/by/4.0/' },
  };
  return { id, datestamp: '2026-09-04', metadata };
}

/** Each file's paper in a report, by the file's name. */
const byName = ({ papers }: { papers: { path: string; title: string; authors: string[] }[] }) =>
  Object.fromEntries(papers.map((paper) => [basename(paper.path), paper]));

/** A small PDF with this name in the folder. */
async function writePdf(name: string, title: string): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, await makePdf({ front: [{ text: title, size: 18 }] }));
  return path;
}

/** One of several files of a paper. */
const writeTwo = (words: string) =>
  makePdf({
    front: [{ text: 'Two Files of Carry', size: 18 }],
    foot: 'doi:10.5555/two',
    sections: [
      ['Abstract', 'What dealers do.'],
      ['1 Introduction', `${words} quotes `.repeat(200)],
    ],
  });

const takeOff = (path: string) =>
  removeFiles(
    shelf.db,
    listOwnFiles(shelf.db).filter((file) => file.path === path),
  );

describe('a folder of papers', () => {
  beforeEach(() => writeOddPapers(folder));

  it('gives each paper the title, authors, id and date that it states, if certain', async () => {
    const { report } = await add([folder]);
    const read = byName(report);
    for (const [name, written] of Object.entries(ODD_PAPERS)) {
      const { title, authors, year, sourceId = /^file:[\da-f]{64}$/ } = written;
      expect(read[name], name).toMatchObject({
        ...{ title: title ?? 'Untitled document', authors, published: year ?? '' },
        sourcePaperId: expect.stringMatching(sourceId),
      });
    }
  });

  it('is searched by words immediately, filtered by source:own, and read by section', async () => {
    insertPapers(shelf.db, [makeCard({ title: 'Dealers and informed flow at arXiv' })]);
    await add([folder]);
    const find = async (query: string) =>
      (await searchCards(shelf.db, { query, topK: 10 })).cards.map(({ title }) => title);
    const { cards } = await searchCards(shelf.db, { query: 'quoting under informed flow' });
    expect(cards[0]).toMatchObject({
      ...{ title: 'Quoting under Informed Flow', origin: 'own', published: '2019' },
      pdfUrl: pathToFileURL(join(folder, 'plain.pdf')).href,
    });
    const own = await find('dealers informed flow source:own');
    expect(own.length).toBeGreaterThan(3);
    expect(own).not.toContain('Dealers and informed flow at arXiv');
    expect(await find('dealers informed flow -source:own')).toEqual([
      'Dealers and informed flow at arXiv',
    ]);
    const paperCardId = cards[0]?.paperCardId;
    const read = await call(shelf.db, paperRead, { paperCardId, sections: ['introduction'] });
    expect(JSON.stringify(read.envelope)).toContain('sets quotes that widen with risk');
  });

  it('matches date filters only with its dated papers, and the reply counts the others', async () => {
    await add([folder]);
    const { cards, meta } = await searchCards(shelf.db, {
      query: 'dealers quotes since:2000',
      topK: 10,
    });
    const dates = ['2015', '2018', '2019', '2021', '2026-09'];
    expect(cards.map(({ published }) => published).sort()).toEqual(dates);
    expect(meta.notice).toContain('5 of your own papers have no known date');
  });

  it('is read once, and a second run reads only new, changed or moved files and lists missing ones', async () => {
    const plain = join(folder, 'plain.pdf');
    expect((await add([folder])).report.counts).toEqual({ added: 10 });
    expect((await add([folder])).report).toMatchObject({ counts: { unchanged: 10 }, papers: [] });
    const { cardId } = paperNamed('Quoting under Informed Flow');
    renameSync(plain, join(folder, 'renamed.pdf'));
    rmSync(join(folder, 'word.pdf'));
    copyFileSync(join(folder, 'marks.pdf'), join(folder, 'marks copy.pdf'));
    await writePdf('note.pdf', 'Another Note on Repo');
    const { report } = await add([folder]);
    expect(report.counts).toEqual({ changed: 1, copied: 1, moved: 1, unchanged: 7 });
    expect(report.gone).toEqual([join(folder, 'word.pdf')]);
    expect(paperNamed('Quoting under Informed Flow')).toMatchObject({
      ...{ cardId, pdfUrl: pathToFileURL(join(folder, 'renamed.pdf')).href },
    });
    expect(findPaperByTitle(shelf.db, 'Untitled document')).toBeUndefined();
    expect(summarisePapers(shelf.db)).toMatchObject({ count: 10, own: 10 });
  });

  it('is listed but not stored in a dry run', async () => {
    const { report } = await add([folder], { isDryRun: true });
    expect(report.papers).toHaveLength(10);
    expect(summarisePapers(shelf.db).count + listOwnFiles(shelf.db).length).toBe(0);
  });

  it('counts a moved file as moved in a dry run, and not as gone', async () => {
    await add([folder]);
    renameSync(join(folder, 'plain.pdf'), join(folder, 'renamed.pdf'));
    copyFileSync(join(folder, 'renamed.pdf'), join(folder, 'renamed copy.pdf'));
    const counts = { copied: 1, moved: 1, unchanged: 9 };
    const { report } = await add([folder], { isDryRun: true });
    expect(report).toMatchObject({ counts, gone: [] });
    expect((await add([folder])).report).toMatchObject({ counts, gone: [] });
  });

  it('can be removed without a trace in the index', async () => {
    await add([folder]);
    expect(removeFiles(shelf.db, listOwnFiles(shelf.db))).toBe(10);
    const tables = ['paper', 'paper_section', 'paper_text', 'own_file'];
    for (const table of [...tables, 'paper_terms_docsize', 'paper_section_terms_docsize']) {
      expect(shelf.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0);
    }
  });

  it('takes titles, authors in any script, dates and DOIs from a bibliography, even if added later', async () => {
    await add([folder]);
    const bib = `
      @article{a, title={A Broker’s Week}, author={Mostra, Lu and {The Desk}}, date={2020-02},
        doi={10.5555/WEEK}, file={Full Text:note.pdf:application/pdf}}
      @misc{b, title={Who Wrote This Memo on Carry}, author={Voorbeeld, Mia}, year={2018}, month=mar,
        doi={10.48550/arXiv.1803.01234}}
      @article{c, title={订单簿的流动性}, author={王, 小明 and Жданова, Ольга}, year=2016,
        file={Full Text PDF:${join(folder, 'word.pdf')}:application/pdf}}`;
    const { report } = await add([folder], { bib });
    expect(report.counts).toMatchObject({ changed: 3, unchanged: 7 });
    const known = { authors: ['Lu Mostra', 'The Desk'], published: '2020-02' };
    expect(paperNamed('A Broker’s Week')).toMatchObject({ ...known, sourceId: 'doi:10.5555/week' });
    const memo = { authors: ['Mia Voorbeeld'], published: '2018-03' };
    expect(paperNamed('Who Wrote This Memo on Carry')).toMatchObject(memo);
    const { cards } = await searchCards(shelf.db, { query: 'Жданова 流动性 订单簿的流动性' });
    const authors = ['小明 王', 'Ольга Жданова'];
    expect(cards[0]).toMatchObject({ title: '订单簿的流动性', authors, published: '2016' });
    expect(summarisePapers(shelf.db).count).toBe(10);
    expect((await add([folder], { bib })).report.counts).toEqual({ unchanged: 10 });
  });

  it.each([
    ['a DOI of another form', 'doi={10.5555 and more}', { doi: null }],
    ['a DOI of 256 characters', `doi={10.5555/${'x'.repeat(248)}}`, { doi: null }],
    ['a DOI of 255 characters', `doi={10.5555/${'x'.repeat(247)}}`, { doi: /x{247}$/ }],
    ['a long journal', `journal={${'Letters '.repeat(200)}}`, { journalRef: /^.{990,1000}$/ }],
    ['many authors', `author={${'A B and '.repeat(150)}A B}`, { authors: /^(A B,){100}others$/ }],
    ['a long author', `author={{${'Desk '.repeat(100)}}}`, { authors: /^.{190,200}$/ }],
    ['a long title', `title={${'Carry '.repeat(200)}}`, { title: /^.{490,500}$/ }],
  ])('limits %s in a bibliography as arXiv’s are', async (_, field, limited) => {
    const path = join(folder, 'long.bib');
    writeFileSync(path, `@misc{a, ${field}${field.startsWith('title') ? '' : ', title={A}'}}`);
    const [entry] = await readBibliography(path, parseBibliography, () => {});
    for (const [name, value] of Object.entries(limited)) {
      const read: unknown = Reflect.get(entry ?? {}, name);
      if (value === null) expect(read).toBeNull();
      else expect(String(read)).toMatch(value);
    }
  });

  it('keeps what a bibliography said of a file with a DOI when its content changes', async () => {
    const bib = `
      @article{a, title={A Broker’s Week}, author={Mostra, Lu}, date={2020-02-03},
        doi={10.5555/WEEK}, file={note.pdf}}
      @article{b, title={Volatility of Made Series}, date={2015-04}, file={journal.pdf}}`;
    await add([folder], { bib });
    await writePdf('note.pdf', 'The Same with Notes in its Margin');
    const journal = readFileSync(join(folder, 'journal.pdf'));
    writeFileSync(join(folder, 'journal.pdf'), `${journal.toString('latin1')}\n`, 'latin1');
    expect((await add([folder])).report.counts).toEqual({ changed: 2, unchanged: 8 });
    expect(paperNamed('A Broker’s Week')).toMatchObject({
      ...{ sourceId: 'doi:10.5555/week', doi: '10.5555/week', authors: ['Lu Mostra'] },
      published: '2020-02-03',
    });
    expect(paperNamed('Volatility of Made Series')).toMatchObject({ published: '2015-04' });
    await writePdf('note.pdf', 'The Next Note');
    const front = [{ text: 'The Next Note', size: 18 }];
    writeFileSync(join(folder, 'note.pdf'), await makePdf({ front, foot: 'doi:10.5555/next' }));
    await add([folder]);
    expect(paperNamed('The Next Note').sourceId).toBe('doi:10.5555/next');
  });

  it('is read no further once the store has failed', async () => {
    let reads = 0;
    const full: Parse = async () => {
      reads += 1;
      if (reads > 1) return { ok: false, reason: 'failed conversion' };
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    const { report } = await add([folder], { parse: full });
    // Two files are read at a time; a third would be read soon.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reads).toBeLessThanOrEqual(2);
    expect(report.error).toContain('full');
  });

  it('takes what a bibliography adds to a paper with two files, and reads neither again without changes', async () => {
    const files = [await writePdf('x1.pdf', 'One'), await writePdf('x2.pdf', 'Two')];
    const bib = (author: string) => `
      @misc{a, title={Carry in calm markets, a draft}, doi={10.5555/carry}, file={x1.pdf}}
      @misc{b, title={Carry in Calm Markets}, ${author} doi={10.5555/carry}, file={x2.pdf}}`;
    const countsOf = async (text: string) => (await add(files, { bib: text })).report.counts;
    await add(files.slice(0, 1), { bib: bib('') });
    expect(await countsOf(bib(''))).toEqual({ unchanged: 1, copied: 1 });
    expect(await countsOf(bib(''))).toEqual({ unchanged: 2 });
    const more = bib('author={Voorbeeld, Mia},');
    expect(await countsOf(more)).toEqual({ changed: 1, unchanged: 1 });
    expect(paperNamed('Carry in Calm Markets').authors).toEqual(['Mia Voorbeeld']);
    expect(await countsOf(more)).toEqual({ unchanged: 2 });
  });

  it('serves for each paper the text of the file read last, compared by content', async () => {
    const [first, second] = ['y1.pdf', 'y2.pdf'].map((name) => join(folder, name));
    const write = async (path = '', words = '') => writeFileSync(path, await writeTwo(words));
    const textOf = async () => {
      const { report } = await add([first ?? '', second ?? ''].filter(existsSync));
      const card = paperNamed('Two Files of Carry');
      const { envelope } = await call(shelf.db, paperRead, { paperCardId: card.cardId });
      const [words] = /alpine|boreal|coastal/.exec(JSON.stringify(envelope)) ?? [];
      return [report.counts, words, basename(card.pdfUrl)];
    };
    await write(first, 'alpine');
    await write(second, 'boreal');
    await add([first ?? '']);
    expect(await textOf()).toEqual([{ unchanged: 1, copied: 1 }, 'boreal', 'y2.pdf']);
    await write(first, 'coastal');
    expect(await textOf()).toEqual([{ changed: 1, unchanged: 1 }, 'coastal', 'y1.pdf']);
    // Touched, not changed.
    utimesSync(second ?? '', NOW, NOW);
    expect(await textOf()).toEqual([{ unchanged: 2 }, 'coastal', 'y1.pdf']);
    takeOff(first ?? '');
    rmSync(first ?? '');
    expect(await textOf()).toEqual([{ changed: 1 }, 'boreal', 'y2.pdf']);
  });

  it.each([
    ['an own card', []],
    ['a card of arXiv', [makeCard({ title: 'Two Files of Carry' })]],
  ])(
    'leaves %s its abstract when the file of its text goes and another is left',
    async (_, cards) => {
      insertPapers(shelf.db, cards);
      shelf.db.exec("UPDATE paper SET doi = '10.5555/two'");
      const files = await Promise.all(
        ['alpine', 'boreal', 'coastal'].map(async (words) => {
          const path = join(folder, `${words}.pdf`);
          writeFileSync(path, await writeTwo(words));
          return path;
        }),
      );
      const [first = '', second = '', third = ''] = files;
      for (const path of files) await add([path]);
      const read = async () => {
        const { cardId: paperCardId } = paperNamed('Two Files of Carry');
        return JSON.stringify(await call(shelf.db, paperRead, { paperCardId }));
      };
      expect(await read()).toContain('coastal');
      takeOff(third);
      const text = await read();
      expect(text).toContain('Run `quantshelf add` on another file of this paper');
      expect(text).toContain('"content":"What dealers do."');
      expect(text).not.toMatch(/quotes quotes|(?:alpine|boreal|coastal) quotes/);
      await add([second]);
      expect(await read()).toContain('boreal');
      // The other file's content is another paper's now.
      await writePdf('boreal.pdf', 'Another Paper on Carry');
      await add([second]);
      expect(await read()).not.toContain('boreal quotes');
      await add([first]);
      expect(await read()).toContain('alpine');
    },
  );

  it('keeps its texts once arXiv lists a paper, whose card then becomes arXiv’s, without the bibliography’s date', async () => {
    const bib = `@misc{a, title={A Stamped Paper on Rates}, date={1999-01-02}, file={stamped.pdf}}`;
    await add([folder], { bib });
    const own = paperNamed('A Stamped Paper on Rates');
    expect(own).toMatchObject({ published: '1999-01-02' });
    expect(own.id).toBeLessThan(0);
    const listed = record('2609.01234', 'A Stamped Paper');
    const at = new Date('2026-11-25T12:00:00Z');
    expect(write(shelf.db, () => upsertRecord(shelf.db, listed, at))).toBe('changed');
    const card = paperNamed('A Stamped Paper');
    expect(card).toMatchObject({
      ...{ cardId: own.cardId, origin: 'arxiv', isOwnText: 1, textSource: 'pdf' },
      published: '2026-09-03',
    });
    expect(card.id).toBeGreaterThan(0);
    // It is news to callers who may not see the own one.
    expect(listPaperNews(shelf.db, new Date('2026-11-24'), 9)[0]?.total).toBe(1);
    expect(summarisePapers(shelf.db).count).toBe(10);
    const read = JSON.stringify(await call(shelf.db, paperRead, { paperCardId: '2609.01234' }));
    expect(read).toContain('What arXiv says of it.');
    expect(read).toContain('sets quotes that widen with risk');
    // Once withdrawn from arXiv, it is the user's own again.
    write(shelf.db, () => upsertRecord(shelf.db, { ...listed, metadata: null }, NOW));
    const again = { cardId: own.cardId, origin: 'own', withdrawn: 0 };
    expect(paperNamed('A Stamped Paper')).toMatchObject(again);
  });

  it('gives a paper on the shelf its text, not a second card, without a request to arXiv', async () => {
    const abstract = 'What dealers do.';
    const sections = [{ key: 'abstract', type: 'abstract', title: 'Abstract', content: abstract }];
    insertPapers(shelf.db, [
      makeCard({ sourceId: 'arxiv:2609.01234', title: 'A Stamped Paper', abstract, sections }),
      // The same paper without arXiv's stamp, recognised by its title and an author.
      makeCard({
        ...{
          sourceId: 'arxiv:2609.00002',
          title: 'Quoting Under Informed Flow',
          abstract,
          sections,
        },
        authors: ['Muster, B.'],
      }),
    ]);
    const { asOf } = summarisePapers(shelf.db);
    const { report } = await add([folder]);
    expect(report.counts).toEqual({ added: 8, matched: 2 });
    // Own files do not affect the age of arXiv's papers.
    expect(summarisePapers(shelf.db)).toMatchObject({ count: 10, asOf });
    for (const title of ['A Stamped Paper', 'Quoting Under Informed Flow']) {
      const card = { origin: 'arxiv', abstract, textSource: 'pdf' };
      expect(paperNamed(title), title).toMatchObject(card);
    }
    expect(listWithoutText(shelf.db, { parser: 99, at: NOW, limit: 50 })).toEqual([]);
    const readOf = async (title: string) => {
      const { cardId: paperCardId } = paperNamed(title);
      return JSON.stringify(await call(shelf.db, paperRead, { paperCardId }));
    };
    // Its stamp says v2.
    shelf.db.prepare("UPDATE paper SET version = 3 WHERE source_id LIKE 'arxiv:%'").run();
    const stamped = await readOf('A Stamped Paper');
    expect(stamped).toContain('The text is that of your own file.');
    expect(stamped).toContain('the text is of version 2; the current version is 3."');
    expect(await readOf('Quoting Under Informed Flow')).toContain('of an unknown version');
    // The paper stays: none went.
    expect(takeOff(join(folder, 'stamped.pdf'))).toBe(0);
    expect(paperNamed('A Stamped Paper')).toMatchObject({ abstract, textSource: null });
  });

  it('gives a bundled paper its text, and gives its digest back when removed', async () => {
    const bundled = makeStarterShelf();
    shelf.db.exec('DELETE FROM paper');
    const id = bundled.db.prepare<[], number>('SELECT min(id) FROM paper').pluck().get() ?? 0;
    const tables = [
      { table: 'paper', key: 'id' },
      { table: 'paper_section', key: 'paper_id' },
    ];
    write(shelf.db, () => replaceRows(bundled.db, shelf.db, tables, { from: id, to: 7 }));
    const { cardId: paperCardId, sourceId } = getPaperById(shelf.db, 7) ?? {};
    const read = async () => {
      const outcome = await call(shelf.db, paperRead, { paperCardId });
      if (!outcome.ok) throw new Error(outcome.envelope.error.message);
      return { data: outcome.envelope.data, notice: outcome.envelope.meta.notice };
    };
    const before = await read();
    const path = join(folder, `${sourceId?.slice(6)}v1.pdf`);
    copyFileSync(join(folder, 'plain.pdf'), path);
    expect((await add([path])).report.counts).toEqual({ matched: 1 });
    const text = JSON.stringify(await read());
    expect(text).toContain('"title":"Digest of the abstract by QuantShelf"');
    expect(text).not.toContain('"content":"Digest of');
    expect(text).toContain('the text is of version 1; the current version is 2.');
    const restore = () => [...renewStarterPapers(shelf.db, bundled.db, false)].map((put) => put());
    restore();
    expect(JSON.stringify(await read())).toEqual(text);
    expect(takeOff(path)).toBe(0);
    expect(restore()).toHaveLength(1);
    expect(await read()).toEqual(before);
    expect(restore()).toHaveLength(0);
    bundled.remove();
  });

  it('uses the first paragraph if a document has no labelled abstract, and the reading says so', async () => {
    await add([join(folder, 'note.pdf')]);
    const { cardId, abstract } = paperNamed('Untitled document');
    expect(abstract).toContain(PROSE.slice(0, 60));
    const read = JSON.stringify(await call(shelf.db, paperRead, { paperCardId: cardId }));
    expect(read).toContain('The document has no labelled abstract');
  });
});

describe('files of other kinds', () => {
  it('get one line each with the reason if they cannot be read', async () => {
    for (const [name, bytes] of Object.entries(await unreadablePdfs()))
      writeFileSync(join(folder, name), bytes);
    await writePdf('slow.pdf', 'A Paper that Takes a Minute');
    await writePdf('growing.pdf', 'A Paper that is Being Written');
    await writePdf('whole.pdf', 'A Paper among Others');
    writeFileSync(join(folder, 'large.pdf'), '');
    truncateSync(join(folder, 'large.pdf'), 60_000_001);
    writeFileSync(join(folder, 'shopping.html'), '<p>milk</p>');
    writeFileSync(join(folder, 'notes.txt'), 'none');
    const named = ['missing.pdf', 'shopping.html'].map((name) => join(folder, name));
    const slow = readFileSync(join(folder, 'slow.pdf'));
    const { report, log } = await add([folder, ...named], {
      // The parser's reply after it has terminated the thread.
      parse: async (document, signal) =>
        typeof document !== 'string' && slow.equals(document)
          ? { ok: false, reason: 'failed conversion' }
          : parse(document, signal),
    });
    const why = Object.fromEntries(report.failed.map(({ path, why }) => [basename(path), why]));
    expect(why).toEqual({
      'damaged.pdf': NO_PAPER,
      'encrypted.pdf': 'it is encrypted: save a copy without a password',
      'growing.pdf': 'it changed while it was read: add it again',
      'large.pdf': 'it is larger than 60 MB',
      'long.pdf': 'it has more than 1,500 pages',
      'missing.pdf': 'no such file or directory',
      'scan.pdf': 'it has too little text: a scan needs OCR first',
      'shopping.html': NO_PAPER,
      'slow.pdf': 'reading it took too long or too much memory',
    });
    expect(log).toHaveLength(9);
    expect(summarisePapers(shelf.db).count).toBe(1);
  });

  it('are read where they have one page of text', async () => {
    const text = PROSE.repeat(2);
    const front = [{ text: 'A Page on Carry', size: 18 }];
    writeFileSync(join(folder, 'page.pdf'), await makePdf({ front, sections: [['', text]] }));
    // A scan whose pages have a stamp each.
    const stamp = 'Downloaded from a library in 2020. '.repeat(2);
    const scan = await makePdf({ front: [], sections: [['', stamp]], pages: 3 });
    writeFileSync(join(folder, 'scan.pdf'), scan);
    const { report } = await add([folder]);
    expect(report.papers.map(({ title }) => title)).toEqual(['A Page on Carry']);
    expect(report.failed).toMatchObject([
      { why: 'it has too little text: a scan needs OCR first' },
    ]);
  });

  it('keep the earlier text of a file whose new version is unreadable', async () => {
    const path = await writePdf('a.pdf', 'A Paper that Stays');
    await add([path]);
    writeFileSync(path, 'half of it');
    const { report } = await add([path]);
    expect(report.failed).toHaveLength(1);
    expect(paperNamed('A Paper that Stays').cardId).toMatch(/-/);
  });

  it('are read once even if named twice or linked in cycles, and in subfolders only on request', async () => {
    mkdirSync(join(folder, 'deep'));
    await writePdf(join('deep', 'данные 数据.pdf'), 'Deep Down Papers');
    symlinkSync(folder, join(folder, 'deep', 'circle'));
    for (const name of ['broken.pdf', 'broken.csv'])
      symlinkSync(join(folder, 'nowhere'), join(folder, name));
    expect((await add([folder])).report.counts).toEqual({});
    const { report } = await add([folder, folder], { isRecursive: true });
    expect(report.papers.map(({ title }) => title)).toEqual(['Deep Down Papers']);
    expect(report.failed.map(({ path }) => path)).toEqual([join(folder, 'broken.pdf')]);
  });

  it.skipIf(process.platform === 'win32')('are refused at once where they are pipes', async () => {
    const pipe = join(folder, 'pipe.pdf');
    execFileSync('mkfifo', [pipe]);
    const { signal } = new AbortController();
    const faults: unknown[] = [];
    const fail = (path: string, error: unknown) => faults.push([path, String(error)]);
    for (const target of [pipe, folder])
      expect(await findFiles([target], false, signal, fail)).toEqual([]);
    expect(faults).toEqual([[pipe, 'ServiceError: it is not a file']]);
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
  const { report } = await add([folder]);
  expect(byName(report)['book.pdf']).toMatchObject({ authors: ['Ada Example'] });
  const { cardId } = paperNamed('A Made Book of Market Making');
  const read = await call(shelf.db, paperRead, { paperCardId: cardId, sections: ['abstract'] });
  const text = JSON.stringify(read.envelope);
  for (const chapter of chapters) expect(text).toContain(`"${chapter.replace('\n', ': ')}"`);
});

it('a saved page of arXiv is the paper that its own address names, not one that it cites', async () => {
  const page = makeHtmlPage({
    ...{ title: 'A Saved Page on Rates', authors: ['Hal Beispiel', 'Ida Esempio'] },
    ...{
      abstract: 'What dealers do.',
      sections: [{ title: 'Introduction', text: PROSE.repeat(9) }],
    },
    references: ['Another Author. Another paper. arXiv:2208.10264 [cs.CL].'],
  });
  const saved = '<!-- saved from url=(0037)https://arxiv.org/html/2609.01234v2 -->\n';
  const at = (id: string) => page.replace('<head>', `<head><link rel="canonical" href="${id}"/>`);
  writeFileSync(join(folder, 'a.html'), page);
  writeFileSync(join(folder, 'b.html'), saved + page);
  writeFileSync(join(folder, 'c.html'), at('https://ar5iv.labs.arxiv.org/html/2609.01235'));
  writeFileSync(join(folder, '2609.01236v1.html'), page.replace('Rates', 'Carry'));
  const { report } = await add([folder]);
  const ids = report.papers.map(({ path, sourcePaperId }) => [basename(path), sourcePaperId]);
  expect(Object.fromEntries(ids)).toEqual({
    ...{ 'a.html': expect.stringMatching(/^file:/), 'b.html': 'arxiv:2609.01234' },
    ...{ 'c.html': 'arxiv:2609.01235', '2609.01236v1.html': 'arxiv:2609.01236' },
  });
  const read = { title: 'A Saved Page on Rates', authors: ['Hal Beispiel', 'Ida Esempio'] };
  expect(byName(report)['b.html']).toMatchObject(read);
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
  it('files get their printed titles, and are found by a question about them', async () => {
    for (const from of [join(papers, 'pdf'), join(papers, 'html', 'real')]) {
      for (const name of readdirSync(from)) {
        if (!(name.replace(/\.gz$/, '') in PRINTED)) continue;
        const bytes = readFileSync(join(from, name));
        const isPacked = name.endsWith('.gz');
        const path = join(folder, name.replace(/\.gz$/, ''));
        writeFileSync(path, isPacked ? gunzipSync(bytes) : bytes);
      }
    }
    const { report } = await add([folder]);
    const read = byName(report);
    for (const [name, [title, authors, id]] of Object.entries(PRINTED)) {
      expect(read[name]?.title.startsWith(title), `${name}: ${read[name]?.title}`).toBe(true);
      expect(read[name]?.authors, name).toHaveLength(authors);
      expect(read[name], name).toMatchObject({ sourcePaperId: expect.stringMatching(`^${id}`) });
    }
    const query = 'recurrent network that detects sepsis in a hospital';
    const { cards } = await searchCards(shelf.db, { query });
    expect(cards[0]?.title).toContain('Sepsis');
  });
});
