import type { Database } from 'better-sqlite3';
import { HttpError, InvalidResponseError, isUnsent } from '../../../upstream/errors.ts';
import { arxivIdOf } from '../cards/ids.ts';
import { findPaperByCardId, type PaperRow } from '../queries.ts';
import { ArxivRequestError, type ArxivSource, type Pace } from '../source.ts';
import { LONGEST_RETRY_MS } from '../sync/queries.ts';
import { storeVersion, upsertRecords } from '../sync/record-ingest.ts';
import { type ArrivedText, recordTextFault, replaceText } from './ingest.ts';
import type { Document, Parse } from './parser.ts';
import { PARSER_VERSION, type TextSection } from './sections.ts';

/** A version that was asked for within this time is taken for current. */
const CHECK_EVERY_MS = 7 * 86_400_000;
/** After a fault that may pass, and after arXiv had nothing to read. */
const RETRY_FAULT_MS = 10 * 60_000;
/** After a host could not be connected to: a network that is back serves at once. */
const RETRY_UNREACHABLE_MS = 60_000;

const UNREADABLE =
  'arXiv has no HTML of this paper, ar5iv has no readable copy, and its PDF gave no text.';

export interface TextTools {
  /** Writable. */
  db: Database;
  source: ArxivSource;
  parse: Parse;
  now: () => Date;
  /** For the cause of a failure; never stdout. */
  log: (line: string) => void;
}

/** What a paper lacks that arXiv may have. */
export interface Needs {
  /** Its own abstract, its version and dates. */
  facts: boolean;
  text: boolean;
}

/** The full text is held now, is nowhere to be had, or could not be fetched this time. */
export type Outcome = 'held' | 'absent' | 'failed';

/** What is missing or may be out of date; nothing while a failed try is not long enough ago. */
export function needsOf(paper: PaperRow, now: Date): Needs {
  const wait = paper.textRetryAt === null ? 0 : Date.parse(paper.textRetryAt) - now.getTime();
  // A time further ahead was written by a clock that has since been set back.
  if (wait > 0 && wait <= LONGEST_RETRY_MS) return { facts: false, text: false };
  const checked = paper.versionChecked === null ? 0 : Date.parse(paper.versionChecked);
  const age = now.getTime() - checked;
  return {
    facts: paper.origin === 'starter' || age > CHECK_EVERY_MS || age < 0,
    text: lacksText(paper),
  };
}

function lacksText({ textSource, textVersion, textParser, version }: PaperRow): boolean {
  if (textSource === null || (textParser ?? 0) < PARSER_VERSION) return true;
  // Fetched while arXiv could not say which version was current; ar5iv never says which it has.
  if (textVersion === null) return version !== null && textSource !== 'ar5iv';
  return version !== null && textVersion < version;
}

/**
 * Brings a paper's facts and full text from arXiv, as far as they are needed: arXiv's HTML, else
 * ar5iv's, else the text of the PDF. What arrives is stored whole or not at all; why nothing came is
 * stored too, with the time of the next try. Rejects with the signal's reason, or when the store fails.
 */
export async function fetchPaper(
  tools: TextTools,
  cardId: string,
  pace: Pace,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const before = findPaperByCardId(tools.db, cardId);
  if (before === undefined) return 'absent';
  const faults: unknown[] = [];
  const note = (error: unknown) => {
    signal.throwIfAborted();
    faults.push(error);
    const said = isUpstreamFault(error) ? error.message : describe(error);
    tools.log(`papers: ${before.sourceId}: ${said}`);
  };
  if (needsOf(before, tools.now()).facts) {
    report('asking arXiv for the current version');
    await fetchFacts(tools, before, signal).catch(note);
  }
  const paper = findPaperByCardId(tools.db, cardId);
  if (paper === undefined || paper.withdrawn === 1) return 'absent';
  if (faults.length === 0 && needsOf(paper, tools.now()).facts) {
    faults.push(new UnknownPaper());
  }
  if (!lacksText(paper)) {
    // Held and, as far as can be known, current: a failed check is not worth another soon.
    if (faults.length > 0) noteFault(tools, paper, faults);
    return 'held';
  }
  const text = isUnwelcome(faults.at(-1))
    ? null
    : await fetchText(tools, paper, pace, report, note, signal);
  if (text === null) {
    noteFault(tools, paper, faults);
    return faults.length === 0 ? 'absent' : 'failed';
  }
  replaceText(tools.db, paper.id, text, tools.now());
  return 'held';
}

/** A starter card becomes the record itself; any other gets its version and dates. */
async function fetchFacts(
  { db, source, now }: TextTools,
  paper: PaperRow,
  signal: AbortSignal,
): Promise<void> {
  const id = arxivIdOf(paper.sourceId);
  if (paper.origin === 'starter') {
    const record = await source.getRecord(id, signal);
    if (record !== null) db.transaction(() => upsertRecords(db, [record], now())).immediate();
  }
  const [version] = await source.lookUp([id], signal);
  if (version !== undefined) storeVersion(db, version, now());
}

async function fetchText(
  { source, parse }: TextTools,
  paper: PaperRow,
  pace: Pace,
  report: (message: string) => void,
  note: (error: unknown) => void,
  signal: AbortSignal,
): Promise<ArrivedText | null> {
  const id = arxivIdOf(paper.sourceId);
  const { version } = paper;
  const ofPage = (html: string | null): Document | null =>
    html === null ? null : { kind: 'html', html };
  const tries: readonly {
    source: ArrivedText['source'];
    version: number | null;
    said: string;
    fetch(): Promise<Document | null>;
  }[] = [
    {
      source: 'html',
      version,
      said: 'fetching the HTML from arXiv',
      fetch: async () => ofPage(await source.fetchHtml(id, version, pace, signal)),
    },
    {
      // It says nowhere which version it holds.
      source: 'ar5iv',
      version: null,
      said: 'fetching the copy at ar5iv',
      fetch: async () => ofPage(await source.fetchAr5iv(id, pace, signal)),
    },
    {
      source: 'pdf',
      version,
      said: 'fetching the PDF from arXiv',
      async fetch() {
        const bytes = await source.fetchPdf(id, version, pace, signal);
        return bytes === null ? null : { kind: 'pdf', bytes };
      },
    },
  ];
  for (const each of tries) {
    try {
      report(each.said);
      const document = await each.fetch();
      const reading = document === null ? null : await parse(document, signal);
      if (reading?.ok === true) {
        const sections = withAbstract(reading.sections, paper);
        return { source: each.source, version: each.version, parser: PARSER_VERSION, sections };
      }
    } catch (error) {
      note(error);
      if (isUnwelcome(error)) return null;
    }
  }
  return null;
}

/** Every paper has its abstract as a section, also where the document sets it apart in no way. */
function withAbstract(sections: readonly TextSection[], { abstract }: PaperRow): TextSection[] {
  if (sections.some(({ type }) => type === 'abstract')) return [...sections];
  return [{ key: 'abstract', type: 'abstract', title: 'Abstract', content: abstract }, ...sections];
}

/** Whoever asks to be left alone is not asked for the next thing. */
function isUnwelcome(error: unknown): boolean {
  if (!(error instanceof HttpError)) return false;
  return error.fault === 'rate_limited' || error.status === 429 || error.status === 406;
}

function noteFault({ db, now }: TextTools, paper: PaperRow, faults: readonly unknown[]): void {
  const last = faults.at(-1);
  const wait = retryAfter(faults);
  const fault = last === undefined ? UNREADABLE : sayFault(last);
  recordTextFault(db, paper.id, fault, new Date(now().getTime() + wait));
}

function retryAfter(faults: readonly unknown[]): number {
  if (faults.length === 0) return LONGEST_RETRY_MS;
  return faults.some(isUnsent) ? RETRY_UNREACHABLE_MS : RETRY_FAULT_MS;
}

/** A look-up that ended well and brought no such paper. */
class UnknownPaper extends Error {}

/** A fault of an upstream in our words, as a sentence for callers. */
export function sayFault(error: unknown): string {
  if (error instanceof UnknownPaper) return 'arXiv does not know this paper.';
  if (error instanceof HttpError) {
    const { fault, status } = error;
    if (fault === 'rate_limited' || status === 429 || status === 406) {
      return 'arXiv asked us to slow down.';
    }
    if (isUnsent(error) || fault === 'connection' || fault === 'timeout') {
      return 'arXiv could not be reached.';
    }
    if (status !== undefined) return `arXiv answered with status ${status}.`;
  }
  return 'arXiv sent something that could not be read.';
}

/** Their messages are ours; anything else is a fault of this program, and its trace is wanted. */
function isUpstreamFault(error: unknown): error is Error {
  return (
    error instanceof HttpError ||
    error instanceof InvalidResponseError ||
    error instanceof ArxivRequestError
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
