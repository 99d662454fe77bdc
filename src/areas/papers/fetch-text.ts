import type { Database } from 'better-sqlite3';
import { describeError } from '../../core/errors.ts';
import { DAY_MS } from '../../core/time.ts';
import { isStoreFault, write } from '../../store/connection.ts';
import {
  InvalidResponseError,
  isRateLimit,
  isUnsent,
  isUpstreamError,
  RejectedRequestError,
  toUserMessage,
} from '../../upstream/failures.ts';
import { arxivIdOf } from './arxiv/ids.ts';
import type { Parse } from './full-text/parser.ts';
import { PARSER_VERSION } from './full-text/sections/sections.ts';
import { storeHistory, upsertRecord } from './ingest.ts';
import { findPaperByCardId, type PaperRow } from './queries.ts';
import type { ArxivSource, Pace, TextFormat } from './source.ts';
import { abstractSection, type FetchedText, recordTextFault, replaceText } from './stored-text.ts';

const CHECK_EVERY_MS = 7 * DAY_MS;
const RETRY_FAULT_MS = 10 * 60_000;
/** Retry delay after a host was unreachable; short, to notice a restored network. */
const RETRY_UNREACHABLE_MS = 60_000;
/** Retry delay for a preferred format if a less preferred one was stored instead. */
const RETRY_BETTER_MS = DAY_MS;
const RETRY_ABSENT_MS = 7 * DAY_MS;

/** Formats in order of preference. */
const FORMATS = [
  ['html', 'HTML from arXiv'],
  ['ar5iv', 'copy from ar5iv'],
  ['pdf', 'PDF from arXiv'],
] as const;
const NO_PAGE = 'arXiv and ar5iv have no readable HTML of this paper, and ';
/** Why there is no text, keyed by the result for the PDF, which is tried last. */
const WHY_ABSENT = {
  missing: `${NO_PAGE}there is no PDF.`,
  unreadable: `${NO_PAGE}the PDF has no usable text.`,
} as const;

export interface FullTextDependencies {
  /** Writable. */
  db: Database;
  source: ArxivSource;
  parse: Parse;
  now: () => Date;
  /** Receives the causes of failures; must not write to stdout. */
  log: (line: string) => void;
}

interface Needs {
  /** Metadata, including the current version. */
  facts: boolean;
  text: boolean;
}

/** Whether the current full text is stored. `absent` if none exists or the paper was withdrawn. */
export type Availability = 'available' | 'absent' | 'failed';

/** The parts that are missing or may be outdated; none during the back-off after a failure. */
export function needsOf(paper: PaperRow, now: Date): Needs {
  const isWaiting = (paper.textRetryAt ?? '') > now.toISOString();
  if (isWaiting) return { facts: false, text: false };
  const checkedSince = new Date(now.getTime() - CHECK_EVERY_MS).toISOString();
  return {
    facts: paper.origin === 'starter' || (paper.versionChecked ?? '') < checkedSince,
    text: lacksText(paper),
  };
}

function lacksText({ textFormat, textVersion, textParser, version }: PaperRow): boolean {
  if (textFormat === null || (textParser ?? 0) < PARSER_VERSION) return true;
  // `textVersion` is null if the current version was unknown when the text was fetched.
  return version !== null && (textVersion ?? 0) < version;
}

/**
 * Fetches what a paper needs (see `needsOf`): its facts, and its full text as HTML from arXiv or
 * ar5iv, else from the PDF. Stores a failure with the time of the next attempt. Rejects with the
 * signal's reason, or if the store fails.
 */
export async function fetchPaper(
  dependencies: FullTextDependencies,
  cardId: string,
  pace: Pace,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<Availability> {
  const { db, now, log } = dependencies;
  const before = findPaperByCardId(db, cardId);
  if (before === undefined) return 'absent';
  let fault: unknown;
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | null> => {
    // Send no further request once a host has asked us to slow down.
    if (isRateLimit(fault)) return null;
    try {
      report(what);
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // On a full disk all other requests fail too, because the rate limiter writes to the store.
      if (isStoreFault(error)) throw error;
      // Upstream errors carry our own messages; any other error is a bug, logged with its stack.
      const isBug = !isUpstreamError(error);
      const cause = isBug ? describeError(error) : error.message;
      // arXiv's hosts mostly fail together: log the same failure only once.
      if (isBug || fault === undefined || describeFault(error) !== describeFault(fault)) {
        log(`papers: ${before.sourceId}: ${cause}`);
      }
      fault = error;
      return null;
    }
  };
  const backOff = (why: string, delayMs: number) =>
    recordTextFault(db, before.id, why, new Date(now().getTime() + delayMs));

  if (needsOf(before, now()).facts) {
    const facts = () => fetchFacts(dependencies, before, signal);
    await attempt('asking arXiv for the current version', facts);
  }
  const paper = findPaperByCardId(db, cardId);
  if (paper === undefined || paper.withdrawn === 1) return 'absent';
  const isCurrent = !lacksText(paper);
  const earlierFault = fault;
  let absence: keyof typeof WHY_ABSENT = 'unreadable';
  for (const [from, what] of isCurrent ? [] : FORMATS) {
    const content = await attempt(`fetching the ${what}`, () =>
      fetchContent(dependencies, from, paper, pace, signal),
    );
    if (typeof content === 'string') absence = content;
    if (content === null || typeof content === 'string') continue;
    const isStopgap = fault !== earlierFault;
    // Parser 0 marks the text as outdated, so that the preferred format is tried again.
    const parser = isStopgap ? 0 : PARSER_VERSION;
    // ar5iv does not state the version of its copy: assume the current one, so that the next
    // version is noticed.
    const text = { format: from, version: paper.version, parser, ...content };
    return write(db, () => {
      // Discard the text of a paper that was withdrawn meanwhile.
      if (findPaperByCardId(db, cardId)?.withdrawn !== 0) return 'absent';
      replaceText(db, paper.id, text, now());
      if (isStopgap) backOff(describeFault(fault), RETRY_BETTER_MS);
      return 'available';
    });
  }
  // Back off even if the text seems current, since its version may be unconfirmed.
  if (fault !== undefined) {
    backOff(describeFault(fault), isUnsent(fault) ? RETRY_UNREACHABLE_MS : RETRY_FAULT_MS);
    return isCurrent ? 'available' : 'failed';
  }
  if (isCurrent) return 'available';
  backOff(WHY_ABSENT[absence], RETRY_ABSENT_MS);
  return 'absent';
}

/** Updates a paper from its history at arXiv and, for a starter card or a new version, from its record. */
async function fetchFacts(
  { db, source, now }: FullTextDependencies,
  { sourceId, origin, version }: PaperRow,
  signal: AbortSignal,
): Promise<void> {
  const id = arxivIdOf(sourceId);
  const history = await source.getHistory(id, signal);
  if (history === null) throw new RejectedRequestError('arXiv does not know this paper.');
  const current = history.metadata?.versions.at(-1)?.version ?? 0;
  if (history.metadata !== null && current === 0) {
    throw new InvalidResponseError('arXiv sent no versions of this paper.');
  }
  const isOlder = origin === 'starter' || (version !== null && version < current);
  const record = isOlder ? await source.getRecord(id, signal) : null;
  write(db, () => {
    if (record !== null) upsertRecord(db, record, now());
    storeHistory(db, history, now());
  });
}

/** The paper's text in one format, or why there is none. */
async function fetchContent(
  { source, parse }: FullTextDependencies,
  from: TextFormat,
  { sourceId, version, abstract }: PaperRow,
  pace: Pace,
  signal: AbortSignal,
): Promise<Pick<FetchedText, 'sections' | 'cut'> | keyof typeof WHY_ABSENT> {
  const document = await source.fetchDocument(from, arxivIdOf(sourceId), version, pace, signal);
  if (document === null) return 'missing';
  const result = await parse(document, signal);
  // arXiv responds with 404 if it has no HTML of a paper, so any other page is a failure.
  if (from === 'html' && !result.ok && result.reason === 'not a paper') {
    throw new InvalidResponseError('arXiv sent a web page that is not a paper.');
  }
  if (!result.ok) return 'unreadable';
  const { sections, cut } = result;
  const hasAbstract = sections.some(({ type }) => type === 'abstract');
  return { sections: hasAbstract ? sections : [abstractSection(abstract), ...sections], cut };
}

/** A failure as a sentence for callers. */
function describeFault(error: unknown): string {
  return isRateLimit(error) ? 'arXiv asked us to slow down.' : toUserMessage('arXiv', error);
}
