import type { Embed, SyncReport, VectorTools } from '../../core/area.ts';
import { countOf } from '../../core/text.ts';
import { dropDamagedVectors } from '../../search/vectors.ts';
import { fetchPaper } from './fetch-text.ts';
import type { Parse } from './full-text/parser.ts';
import { PARSER_VERSION } from './full-text/sections/sections.ts';
import { emptySummary, type HarvestOptions, type HarvestSummary, harvest } from './harvest.ts';
import { findPaperByCardId, summarisePapers } from './queries.ts';
import { listWithoutText } from './stored-text.ts';
import { paperIndex } from './tables.ts';
import {
  countUndigested,
  digestPending,
  embedText,
  listUnembedded,
  setDigestDue,
} from './vector-queue.ts';

/** The report of a paper sync, as `--json` prints it. */
interface PapersReport extends SyncReport, HarvestSummary {
  /** Number of cards that got a summary, tags and a vector. */
  embedded: number;
  /** Number of full texts fetched. */
  texts: number;
  /** Number of papers whose full text could not be fetched, in total and per reason. */
  textsMissing: number;
  missing: Record<string, number>;
  /** Number of papers on the shelf. */
  papers: number;
}

export type PapersOptions = Pick<PapersSync, 'set' | 'since' | 'limit' | 'fullText'>;

interface PapersSync extends VectorTools, HarvestOptions {
  parse: Parse;
  /** Maximum number of papers whose full text is fetched ahead of time. */
  fullText: number;
}

/** Fetching full texts stops after this many failures in a row. */
const MAX_FAILURES = 3;

/**
 * Harvests, then computes summaries, tags and vectors, then fetches full texts. Reports a step that
 * fails, and still runs the next. Cards without vectors are found only by lexical search.
 */
export async function syncPapers(sync: PapersSync): Promise<PapersReport> {
  const { db } = sync;
  const report: PapersReport = {
    ...emptySummary(),
    embedded: 0,
    texts: 0,
    textsMissing: 0,
    missing: {},
    papers: 0,
    error: null,
  };
  let model: Awaited<ReturnType<VectorTools['loadModel']>> | undefined;
  dropDamagedVectors(db, paperIndex.name, setDigestDue);
  try {
    await sync.attempt(report, () => harvestRecords(sync, report));
    // Do not download the model needlessly.
    if (countUndigested(db) > 0 || listUnembedded(db).length > 0 || sync.fullText > 0) {
      await sync.attempt(report, async () => {
        model = await sync.loadModel();
        const show = sync.startProgress('vectors');
        await digestPending(db, model.embed, {
          signal: sync.signal,
          onProgress(done, total) {
            report.embedded = done;
            const text = `${done.toLocaleString('en-US')} of ${countOf(total, 'paper')}`;
            show({ share: done / total, text });
          },
        });
      });
    }
    if (sync.fullText > 0) {
      await sync.attempt(report, () => fetchTexts(sync, model?.embed, report));
    }
    await sync.attempt(report, () => embedTexts(sync, model?.embed));
  } finally {
    await model?.close();
  }
  report.papers = summarisePapers(db).count;
  return report;
}

/**
 * Harvests a set's records, then their versions from a second list, because some withdrawals show
 * only there. A harvest cut short by its limit skips the second list, which would be longer.
 */
async function harvestRecords(sync: PapersSync, report: PapersReport): Promise<void> {
  await harvest(sync, report);
  if (!report.finished) return;
  const versions = emptySummary();
  await harvest({ ...sync, format: 'arXivRaw', limit: undefined }, versions).finally(() => {
    report.withdrawn += versions.withdrawn;
    // Papers whose withdrawal was undone.
    report.changed += versions.changed;
  });
}

/** Fetches full texts ahead of time, newest papers first, at the pace set by arXiv's robots.txt. */
async function fetchTexts(
  sync: PapersSync,
  embed: Embed | undefined,
  report: PapersReport,
): Promise<void> {
  const { db, now, signal, fullText: limit } = sync;
  const targets = listWithoutText(db, { parser: PARSER_VERSION, at: now(), limit });
  const show = sync.startProgress('full texts');
  let failures = 0;
  for (const [index, cardId] of targets.entries()) {
    const availability = await fetchPaper(sync, cardId, 'ahead', () => {}, signal);
    if (availability === 'available') report.texts += 1;
    else {
      const paper = findPaperByCardId(db, cardId);
      const why = paper?.withdrawn === 0 ? (paper.textFault ?? 'unknown') : 'withdrawn';
      report.textsMissing += 1;
      report.missing[why] = (report.missing[why] ?? 0) + 1;
    }
    failures = availability === 'failed' ? failures + 1 : 0;
    if (failures >= MAX_FAILURES)
      throw new Error('arXiv failed for three papers in a row: sync again later.');
    const done = index + 1;
    show({ share: done / targets.length, text: `${done} of ${targets.length}` });
    // Embed during the pause that arXiv asks for between two requests.
    await embedTexts(sync, embed);
  }
}

async function embedTexts({ db, signal }: PapersSync, embed: Embed | undefined): Promise<void> {
  if (embed === undefined) return;
  for (const paperId of listUnembedded(db)) await embedText(db, paperId, embed, signal);
}
