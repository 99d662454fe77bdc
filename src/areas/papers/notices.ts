import type { Freshened } from '../../core/context.ts';
import type { ManifestRow, PaperRow } from './queries.ts';

export const STARTER_NOTICE =
  'Answered from the starter shelf: a small selection of papers with digests by QuantShelf instead of abstracts. ' +
  'Fill the shelf with `quantshelf sync papers`.';

const STARTER =
  'Full text not held: these sections are a digest and reading note by QuantShelf; the paper itself is at pdfUrl.';
const ABSTRACT_ONLY =
  'Full text not held: there is the abstract and, as sections of type note, any reading note by QuantShelf.';
const GATED =
  'This server serves full text only under a licence that permits it, so of this paper there is the abstract only; the paper itself is at pdfUrl.';
const PENDING = 'It is being fetched from arXiv in the background; read again in a minute.';
/** Said by a process that ends with its answer. */
const TIMED_OUT =
  'It could not be fetched within the time of this call; call again, or use a server, which goes on behind its answers.';
const UNREACHABLE = 'arXiv could not be reached; try again in a minute.';
const OFFLINE = 'QUANTSHELF_OFFLINE is set, so nothing is fetched.';
const FROM_PDF =
  'The text was taken from the PDF: formulas and tables are plain text, and headings may be wrong.';
const FROM_AR5IV = 'The text is the copy at ar5iv, which may be of an older version.';

/** What a reader should know about the sections he gets. */
export function noteReading(
  paper: PaperRow,
  chosen: readonly ManifestRow[],
  freshened: Freshened,
  gated: boolean,
): string[] {
  if (gated) return [GATED, noteOurs(chosen)];
  if (paper.textSource !== null) {
    return [noteSource(paper), noteVersion(paper, freshened), noteOurs(chosen)];
  }
  const held = paper.origin === 'starter' ? STARTER : ABSTRACT_ONLY;
  return [held, WHY[freshened] ?? paper.textFault ?? ''];
}

const WHY: Readonly<Partial<Record<Freshened, string>>> = {
  pending: PENDING,
  timed_out: TIMED_OUT,
  offline: OFFLINE,
  unreachable: UNREACHABLE,
};

/** Beside the paper's own text, a note must not be taken for a part of it. */
function noteOurs(chosen: readonly ManifestRow[]): string {
  const keys = chosen.filter(({ ours }) => ours === 1).map(({ key }) => key);
  if (keys.length === 0) return '';
  const verb = keys.length === 1 ? 'is a note' : 'are notes';
  return `Not by the authors: ${keys.join(', ')} ${verb} by QuantShelf.`;
}

function noteSource({ textSource }: PaperRow): string {
  if (textSource === 'pdf') return FROM_PDF;
  return textSource === 'ar5iv' ? FROM_AR5IV : '';
}

function noteVersion(paper: PaperRow, freshened: Freshened): string {
  const { version, textVersion, textSource, textFault } = paper;
  if (version === null || (textVersion !== null && textVersion >= version)) return '';
  // ar5iv never says which version it copied, and its own notice does.
  if (textVersion === null && textSource === 'ar5iv') return '';
  const held =
    textVersion === null ? 'of a version that is not known' : `of version ${textVersion}`;
  const why = WHY[freshened] ?? textFault ?? '';
  return `The text is ${held}; the current one is ${version}. ${why}`.trim();
}
