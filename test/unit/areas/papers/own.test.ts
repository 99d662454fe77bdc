import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import type { ArxivRecord } from '../../../../src/areas/papers/arxiv/oai.ts';
import { readHtml } from '../../../../src/areas/papers/full-text/html/html.ts';
import type { Parse } from '../../../../src/areas/papers/full-text/parser.ts';
import { readPdf } from '../../../../src/areas/papers/full-text/pdf/pdf.ts';
import { upsertRecord } from '../../../../src/areas/papers/ingest.ts';
import { paperRead } from '../../../../src/areas/papers/operations.ts';
import { readBibliography } from '../../../../src/areas/papers/own-bibliography.ts';
import { addOwnFiles } from '../../../../src/areas/papers/own-shelf.ts';
import { listOwnFiles, removeFiles } from '../../../../src/areas/papers/own-store.ts';
import { addPassages } from '../../../../src/areas/papers/passages.ts';
import { findPaperByTitle, summarisePapers } from '../../../../src/areas/papers/queries.ts';
import { listWithoutText } from '../../../../src/areas/papers/stored-text.ts';
import { write } from '../../../../src/store/connection.ts';
import { describeShared } from '../../../shared.ts';
import {
  makePdf,
  ODD_PAPERS,
  PROSE,
  unreadablePdfs,
  writeOddPapers,
} from '../../../stand-ins/own-pdfs.ts';
import { call, makeCard, makeEmptyShelf, searchCards } from './shelf.ts';

/** The user's own files: what becomes of them, and who they are. */

const NOW = new Date('2026-11-21T12:00:00Z');
/** The thread's work, in this one. */
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
  const entries = await readBibliography(bib, join(folder, 'own.bib'), () => {});
  const log: string[] = [];
  const report = await addOwnFiles({
    ...{ db: shelf.db, now: () => NOW, parse, targets, entries, isDryRun, isRecursive },
    signal: new AbortController().signal,
    log: (line: string) => log.push(line),
    startProgress: () => () => {},
    loadModel: async () => {
      throw new Error('no model here');
    },
    ...more,
  });
  return { report, log };
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

describe('the papers in a folder', () => {
  beforeEach(() => writeOddPapers(folder));

  it('are named by their titles, authors, ids and years, and by nothing where that is uncertain', async () => {
    const { report } = await add([folder]);
    const byName = new Map(
      report.papers.map((paper) => [paper.path.slice(folder.length + 1), paper]),
    );
    const read = Object.keys(ODD_PAPERS).map((name) => {
      const paper = byName.get(name);
      return [name, { title: paper?.title, authors: paper?.authors, published: paper?.published }];
    });
    const written = Object.entries(ODD_PAPERS).map(([name, { title, authors, year }]) => [
      name,
      { title: title ?? 'Untitled document', authors, published: year ?? null },
    ]);
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(written));
    for (const [name, { sourceId = /^file:[\da-f]{64}$/ }] of Object.entries(ODD_PAPERS)) {
      expect(byName.get(name)?.sourcePaperId, name).toMatch(sourceId);
    }
  });

  it('are found by words at once, kept to or left out by source:own, and read by section', async () => {
    insertPapers(shelf.db, [makeCard({ title: 'Dealers and informed flow at arXiv' })]);
    await add([folder]);
    const { cards } = await searchCards(shelf.db, { query: 'quoting under informed flow' });
    expect(cards[0]).toMatchObject({
      title: 'Quoting under Informed Flow',
      origin: 'own',
      pdfUrl: pathToFileURL(join(folder, 'plain.pdf')).href,
      published: '2019',
    });
    const own = await searchCards(shelf.db, {
      query: 'dealers informed flow source:own',
      topK: 10,
    });
    expect(own.cards.length).toBeGreaterThan(3);
    expect(own.cards.every(({ origin }) => origin === 'own')).toBe(true);
    const others = await searchCards(shelf.db, { query: 'dealers informed flow -source:own' });
    expect(others.cards.map(({ title }) => title)).toEqual(['Dealers and informed flow at arXiv']);
    const { cardId } = paperNamed('Quoting under Informed Flow');
    const read = await call(shelf.db, paperRead, {
      paperCardId: cardId,
      sections: ['introduction'],
    });
    expect(JSON.stringify(read.envelope)).toContain('sets quotes that widen with risk');
  });

  it('without a date are left out by dates, and the reply says so', async () => {
    await add([folder]);
    const { cards, meta } = await searchCards(shelf.db, {
      query: 'dealers quotes since:2000',
      topK: 10,
    });
    expect(cards.map(({ published }) => published).sort()).toEqual([
      '2015',
      '2019',
      '2021',
      '2026-09',
    ]);
    expect(meta.notice).toContain('6 papers of your own have no known date');
  });

  it('are read once: a second run takes what is new, changed or moved, and says what is gone', async () => {
    const plain = join(folder, 'plain.pdf');
    const first = await add([folder]);
    expect(first.report.counts).toEqual({ added: 10 });
    expect((await add([folder])).report).toMatchObject({ counts: { unchanged: 10 }, papers: [] });
    const { cardId } = paperNamed('Quoting under Informed Flow');
    renameSync(plain, join(folder, 'renamed.pdf'));
    rmSync(join(folder, 'word.pdf'));
    copyFileSync(join(folder, 'marks.pdf'), join(folder, 'marks copy.pdf'));
    writeFileSync(
      join(folder, 'note.pdf'),
      await makePdf({ front: [{ text: 'Another Note on Repo', size: 18 }] }),
    );
    const { report } = await add([folder]);
    expect(report.counts).toEqual({ changed: 1, copy: 1, moved: 1, unchanged: 7 });
    expect(report.gone).toEqual([join(folder, 'word.pdf')]);
    expect(paperNamed('Quoting under Informed Flow')).toMatchObject({
      cardId,
      pdfUrl: pathToFileURL(join(folder, 'renamed.pdf')).href,
    });
    expect(findPaperByTitle(shelf.db, 'Untitled document')).toBeUndefined();
    expect(summarisePapers(shelf.db)).toMatchObject({ count: 10, own: 10 });
  });

  it('are shown and not stored in a dry run', async () => {
    const { report } = await add([folder], { isDryRun: true });
    expect(report.papers).toHaveLength(10);
    expect(summarisePapers(shelf.db).count + listOwnFiles(shelf.db).length).toBe(0);
  });

  it('are taken off again without a trace in the index', async () => {
    await add([folder]);
    const paths = listOwnFiles(shelf.db, folder).map(({ path }) => path);
    expect(removeFiles(shelf.db, paths)).toBe(10);
    for (const table of [
      'paper',
      'paper_section',
      'paper_text',
      'own_file',
      'paper_terms_docsize',
      'paper_section_terms_docsize',
    ]) {
      expect(shelf.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0);
    }
  });

  it('take their names from a bibliography, also when that comes later', async () => {
    await add([folder]);
    const bib = `
      @article{a, title={A Broker’s Week}, author={Mostra, Lu and {The Desk}}, date={2020-02},
        doi={10.5555/WEEK}, file={Full Text:note.pdf:application/pdf}}
      @misc{b, title={Who Wrote This Memo on Carry}, author={Voorbeeld, Mia}, year={2018}, month=mar}`;
    const { report } = await add([folder], { bib });
    expect(report.counts).toMatchObject({ changed: 2, unchanged: 8 });
    expect(paperNamed('A Broker’s Week')).toMatchObject({
      ...{ authors: ['Lu Mostra', 'The Desk'], published: '2020-02', sourceId: 'doi:10.5555/week' },
    });
    expect(paperNamed('Who Wrote This Memo on Carry')).toMatchObject({
      ...{ authors: ['Mia Voorbeeld'], published: '2018-03' },
    });
    expect(summarisePapers(shelf.db).count).toBe(10);
    expect((await add([folder], { bib })).report.counts).toEqual({ unchanged: 10 });
  });

  it('stay when arXiv lists the same paper: its card becomes public, their text remains', async () => {
    await add([folder]);
    const own = paperNamed('A Stamped Paper on Rates');
    expect(own.id).toBeLessThan(0);
    expect(
      write(shelf.db, () => upsertRecord(shelf.db, record('2609.01234', 'A Stamped Paper'), NOW)),
    ).toBe('changed');
    const card = paperNamed('A Stamped Paper');
    expect(card).toMatchObject({
      cardId: own.cardId,
      origin: 'arxiv',
      isOwnText: 1,
      textSource: 'pdf',
    });
    expect(card.id).toBeGreaterThan(0);
    expect(summarisePapers(shelf.db).count).toBe(10);
    const read = JSON.stringify(await call(shelf.db, paperRead, { paperCardId: '2609.01234' }));
    expect(read).toContain('What arXiv says of it.');
    expect(read).toContain('sets quotes that widen with risk');
    // Withdrawn at arXiv, it is the user's own again.
    const gone = { ...record('2609.01234', 'A Stamped Paper'), metadata: null };
    write(shelf.db, () => upsertRecord(shelf.db, gone, NOW));
    expect(paperNamed('A Stamped Paper')).toMatchObject({
      cardId: own.cardId,
      origin: 'own',
      withdrawn: 0,
    });
  });

  it('give a paper of the shelf its text, not a second card, and arXiv is asked for none of them', async () => {
    const sourceId = 'arxiv:2609.01234';
    const abstract = 'What dealers do.';
    const sections = [{ key: 'abstract', type: 'abstract', title: 'Abstract', content: abstract }];
    insertPapers(shelf.db, [
      makeCard({
        ...{ sourceId, title: 'A Stamped Paper on Rates', abstract, sections },
        asOf: '2026-05-11T00:00:00.000Z',
      }),
    ]);
    const { asOf } = summarisePapers(shelf.db);
    const { report } = await add([folder]);
    expect(report.counts).toEqual({ added: 9, joined: 1 });
    // Own files say nothing of how old arXiv's papers are.
    expect(summarisePapers(shelf.db)).toMatchObject({ count: 10, asOf });
    expect(paperNamed('A Stamped Paper on Rates')).toMatchObject({
      origin: 'arxiv',
      abstract,
      textSource: 'pdf',
    });
    expect(listWithoutText(shelf.db, { parser: 99, at: NOW, limit: 50 })).toEqual([]);
    removeFiles(shelf.db, [join(folder, 'stamped.pdf')]);
    expect(paperNamed('A Stamped Paper on Rates')).toMatchObject({ abstract, textSource: null });
  });
});

describe('a folder of other things', () => {
  it('costs one line for each file that cannot be read, and says why', async () => {
    for (const [name, bytes] of Object.entries(await unreadablePdfs()))
      writeFileSync(join(folder, name), bytes);
    writeFileSync(join(folder, 'shopping.html'), '<p>milk</p>');
    writeFileSync(join(folder, 'notes.txt'), 'none');
    const { report, log } = await add([folder, join(folder, 'missing.pdf')]);
    const why = Object.fromEntries(
      report.failed.map(({ path, why }) => [path.slice(folder.length + 1), why]),
    );
    expect(why).toEqual({
      'damaged.pdf': 'it is damaged, or no PDF',
      'encrypted.pdf': 'it is encrypted: save a copy without a password',
      'long.pdf': 'it has more than 1,500 pages',
      'scan.pdf': 'it has too little text: a scan needs OCR first',
      'missing.pdf': 'there is no such file',
    });
    expect(log).toHaveLength(5);
    expect(summarisePapers(shelf.db).count).toBe(0);
    // The next run says the same without reading them.
    const again = await add([folder], { parse: () => Promise.reject(new Error('read again')) });
    expect(again.report.failed).toHaveLength(4);
  });

  it('ends where links lead in circles, and goes down only when told to', async () => {
    mkdirSync(join(folder, 'deep'));
    writeFileSync(
      join(folder, 'deep', 'данные 数据.pdf'),
      await makePdf({ front: [{ text: 'Deep Down Papers', size: 18 }] }),
    );
    symlinkSync(folder, join(folder, 'deep', 'circle'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'broken.pdf'));
    expect((await add([folder])).report.counts).toEqual({});
    const { report } = await add([folder], { isRecursive: true });
    expect(report.papers.map(({ title }) => title)).toEqual(['Deep Down Papers']);
    expect(report.failed.map(({ path }) => path)).toEqual([join(folder, 'broken.pdf')]);
  });

  it('stores nothing of a file that changes while it is read, or of one at which it is stopped', async () => {
    await writeOddPapers(folder);
    const stopping = new AbortController();
    let read = 0;
    const stopped = await add([folder], {
      signal: stopping.signal,
      parse: async (document, signal) => {
        read += 1;
        if (read === 4) stopping.abort(new Error('stopped'));
        signal.throwIfAborted();
        return parse(document, signal);
      },
    });
    expect(stopped.report).toMatchObject({
      counts: { added: 3 },
      finished: false,
      error: 'stopped',
    });
    expect(summarisePapers(shelf.db).count).toBe(3);
    expect((await add([folder])).report.counts).toEqual({ added: 7, unchanged: 3 });
  });

  it('keeps what was read of a file whose next version cannot be read', async () => {
    const path = join(folder, 'a.pdf');
    writeFileSync(path, await makePdf({ front: [{ text: 'A Paper that Stays', size: 18 }] }));
    await add([path]);
    writeFileSync(path, 'half of it');
    const { report } = await add([path]);
    expect(report.failed[0]?.why).toContain('what was read before stays');
    expect(paperNamed('A Paper that Stays').cardId).toMatch(/-/);
  });

  it('takes the first paragraph where a document names no abstract, and the reading says so', async () => {
    await writeOddPapers(folder);
    await add([join(folder, 'note.pdf')]);
    const { cardId, abstract } = paperNamed('Untitled document');
    expect(abstract).toContain(PROSE.slice(0, 60));
    const read = JSON.stringify(await call(shelf.db, paperRead, { paperCardId: cardId }));
    expect(read).toContain('The document names no abstract');
  });
});

describeShared('real PDFs', 'data/papers/pdf', (pdfs) => {
  it('are named as they are printed', async () => {
    const { report } = await add([pdfs]);
    const found = report.papers.map(({ title, authors, sourcePaperId }) => [
      title,
      authors.length,
      sourcePaperId.replace(/^(file):.*/, '$1'),
    ]);
    expect(found).toEqual([
      [
        'LONGEVAL: Guidelines for Human Evaluation of Faithfulness in Long-form Summarization',
        7,
        'file',
      ],
      [
        'Multimodal Stock Price Prediction: A Case Study of the Russian Securities Market',
        2,
        'arxiv:2503.08696',
      ],
      ['Construction of the Literature Graph in Semantic Scholar', 23, 'file'],
      [
        'An Improved Multi-Output Gaussian Process RNN with Real-Time Validation for Early Sepsis Detection',
        8,
        'arxiv:1708.05894',
      ],
    ]);
    const { cards } = await searchCards(shelf.db, {
      query: 'recurrent network that detects sepsis in a hospital',
    });
    expect(cards[0]?.title).toContain('Sepsis');
  });
});
