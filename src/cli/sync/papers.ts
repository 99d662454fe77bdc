import type { Database } from 'better-sqlite3';
import { type Client, openArxiv } from '../../app/clients.ts';
import { PAPER_PARSER } from '../../app/files.ts';
import type { SkippedRecord } from '../../areas/papers/arxiv/records.ts';
import { embedText } from '../../areas/papers/embed-text.ts';
import { fetchPaper } from '../../areas/papers/fetch-text.ts';
import { createParser } from '../../areas/papers/full-text/parser.ts';
import { PARSER_VERSION } from '../../areas/papers/full-text/sections/sections.ts';
import { findPaperByCardId, type PaperRow, summarisePapers } from '../../areas/papers/queries.ts';
import type { ArxivSource } from '../../areas/papers/source.ts';
import { digestPending, type Embed } from '../../areas/papers/sync/digest-papers.ts';
import { embedOwn } from '../../areas/papers/sync/embed-own.ts';
import { type HarvestSummary, harvest } from '../../areas/papers/sync/harvest.ts';
import {
  countUndigested,
  listUnembeddedTexts,
  listWithoutText,
} from '../../areas/papers/sync/queries.ts';
import { dropDamagedVectors } from '../../areas/papers/sync/vectors-ingest.ts';
import type { Embedder } from '../../embedding/embedder.ts';
import { describeDuration, startProgress } from '../progress.ts';
import { loadModel } from './model.ts';
import {
  attempt,
  causeOf,
  describeFailure,
  describeNothing,
  type SyncRun,
  syncPatience,
} from './sync-run.ts';

/** What a sync run over the papers did, as `--json` prints it. */
export interface PapersReport extends Omit<HarvestSummary, 'finished'> {
  /** The run reached the end of arXiv's list. */
  finished: boolean;
  /** Cards that got summary, tags and vector. */
  embedded: number;
  /** Full texts fetched, and those that could not be. */
  texts: number;
  textsMissing: number;
  /** Papers per reason. */
  missing: Record<string, number>;
  /** Papers on the shelf. */
  papers: number;
  /** The first thing that went wrong; null when nothing did. */
  error: string | null;
}

/** Fetching full texts stops after this many failures in a row. */
const MAX_FAILURES = 3;

/**
 * Harvest, then summaries, tags and vectors, then full texts. A part that fails is reported,
 * and the next one still runs.
 */
export async function syncPapers(run: SyncRun, db: Database): Promise<PapersReport> {
  const report: PapersReport = {
    added: 0,
    changed: 0,
    unchanged: 0,
    withdrawn: 0,
    skipped: 0,
    finished: false,
    embedded: 0,
    texts: 0,
    textsMissing: 0,
    missing: {},
    papers: 0,
    error: null,
  };
  const arxiv = openArxiv(run.config, db, syncPatience(run));
  let embedder: Embedder | undefined;
  dropDamagedVectors(db);
  try {
    await attempt(run, report, () => harvestRecords(run, db, arxiv, report));
    // Where nothing came, there may be nothing to read: no reason to download the model.
    if (countUndigested(db) > 0 || listUnembeddedTexts(db).length > 0 || run.options.fullText > 0) {
      await attempt(run, report, async () => {
        embedder = await loadModel(run, db);
        await digestCards(run, db, embedder.embed, report);
      });
    }
    if (run.options.fullText > 0) {
      await attempt(run, report, () => fetchTexts(run, db, arxiv, embedder?.embed, report));
    }
    await attempt(run, report, () => embedTexts(run, db, embedder?.embed));
  } finally {
    await embedder?.close();
    await arxiv.close();
  }
  report.papers = summarisePapers(db).count;
  return report;
}

async function harvestRecords(
  { config, options, signal, log }: SyncRun,
  db: Database,
  { source }: Client<ArxivSource>,
  report: PapersReport,
): Promise<void> {
  const progress = startProgress('records', log);
  try {
    const summary = await harvest(db, source, {
      set: options.set,
      since: options.since,
      limit: options.limit,
      now: () => new Date(),
      signal,
      onSkipped(records) {
        report.skipped += records.length;
        progress.note(describeSkipped(records));
      },
      onFault: (error) =>
        progress.note(`${causeOf(describeFailure(error, config.home))} Asking again.`),
      onPage({ added, changed, withdrawn, unchanged }, { records, share }) {
        Object.assign(report, { added, changed, withdrawn, unchanged });
        const taken = added + changed + withdrawn + unchanged;
        progress.show({ share, done: taken, text: `${records.toLocaleString('en-US')} records` });
      },
    });
    report.finished = summary.finished;
  } finally {
    progress.end();
  }
}

/** Every record by its id: the next sync does not ask for it again unless it changes. */
function describeSkipped(records: readonly SkippedRecord[]): string {
  const named = records.map(({ id, reason }) => `${id ?? 'one without a readable id'} (${reason})`);
  const what = records.length === 1 ? '1 record' : `${records.length} records`;
  return `Skipped ${what} that arXiv sent damaged: ${named.join(', ')}.`;
}

/** Summaries, tags and vectors for all cards that lack them; until then search is lexical only. */
async function digestCards(
  { signal, log }: SyncRun,
  db: Database,
  embed: Embed,
  report: PapersReport,
): Promise<void> {
  const progress = startProgress('vectors', log);
  try {
    const own = await embedOwn(db, embed, { signal });
    report.embedded = own;
    await digestPending(db, embed, {
      signal,
      onProgress(done, total) {
        report.embedded = own + done;
        const text = `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} papers`;
        progress.show({ share: done / total, done, text });
      },
    });
  } finally {
    progress.end();
  }
}

/** Fetches full texts ahead of time, newest papers first, at the crawler's pace. */
async function fetchTexts(
  run: SyncRun,
  db: Database,
  { source }: Client<ArxivSource>,
  embed: Embed | undefined,
  report: PapersReport,
): Promise<void> {
  const { options, signal, log } = run;
  const now = () => new Date();
  const parse = createParser(PAPER_PARSER);
  const wanted = listWithoutText(db, {
    parser: PARSER_VERSION,
    at: now(),
    limit: options.fullText,
  });
  const progress = startProgress('full texts', log);
  let failures = 0;
  try {
    for (const [index, cardId] of wanted.entries()) {
      const dependencies = { db, source, parse, now, log };
      const outcome = await fetchPaper(dependencies, cardId, 'filling', () => {}, signal);
      if (outcome === 'available') report.texts += 1;
      else noteMissing(report, findPaperByCardId(db, cardId));
      failures = outcome === 'failed' ? failures + 1 : 0;
      if (failures >= MAX_FAILURES) throw new Error('arXiv failed for three papers in a row.');
      const done = index + 1;
      progress.show({ share: done / wanted.length, done, text: `${done} of ${wanted.length}` });
      // Embed during the pause that arXiv asks for between two requests.
      await embedTexts(run, db, embed);
    }
  } finally {
    progress.end();
  }
}

function noteMissing(report: PapersReport, paper: PaperRow | undefined): void {
  const why =
    paper === undefined || paper.withdrawn === 1 ? 'withdrawn' : (paper.textFault ?? 'unknown');
  report.textsMissing += 1;
  report.missing[why] = (report.missing[why] ?? 0) + 1;
}

async function embedTexts(
  { signal }: SyncRun,
  db: Database,
  embed: Embed | undefined,
): Promise<void> {
  if (embed === undefined) return;
  for (const paperId of listUnembeddedTexts(db)) await embedText(db, paperId, embed, signal);
}

/** The report as text. */
export function renderPapers(report: PapersReport & { seconds: number }): string {
  const count = (number: number) => number.toLocaleString('en-US');
  const { added, changed, withdrawn, unchanged, embedded, error } = report;
  const done = added + changed + withdrawn + unchanged + embedded + report.texts;
  if (error !== null && done === 0) {
    return describeNothing('papers', error, `${count(report.papers)} papers`);
  }
  const reasons = Object.entries(report.missing).map(
    ([why, papers]) => `${count(papers)}: ${why.replace(/\.$/, '')}`,
  );
  const missing =
    report.textsMissing === 0
      ? ''
      : `, not to be had of ${count(report.textsMissing)} (${reasons.join('; ')})`;
  const texts =
    report.texts + report.textsMissing === 0
      ? ''
      : `; full text of ${count(report.texts)}${missing}`;
  const skipped = report.skipped === 0 ? '' : `, ${count(report.skipped)} skipped as damaged`;
  const unfinished = report.finished ? '' : ' Not at the end of arXiv’s list yet: run it again.';
  const end = error === null ? unfinished : ` ${error}`;
  return (
    `papers: ${count(report.added)} new, ${count(report.changed)} changed, ${count(report.withdrawn)} withdrawn, ` +
    `${count(report.unchanged)} unchanged${skipped}; ${count(report.embedded)} embedded${texts}. ` +
    `The shelf holds ${count(report.papers)} papers. ${describeDuration(report.seconds)}.${end}`
  );
}
