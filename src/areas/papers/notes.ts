import type { Freshened } from '../../core/context.ts';
import type { PaperRow } from './queries.ts';

export const STARTER_NOTICE =
  'Answered from the starter shelf: a small selection of papers with digests by QuantShelf instead of abstracts. ' +
  'Fill the shelf with `quantshelf sync papers`.';

const STARTER =
  'Full text not held: these sections are a digest and reading note by QuantShelf; the paper itself is at pdfUrl.';
const ABSTRACT_ONLY =
  'Full text not held: there is the abstract and, as sections of type note, any reading note by QuantShelf.';
const GATED =
  'This server serves full text only under a licence that permits it, so the only section is the abstract; the paper itself is at pdfUrl.';
const LATE = 'It is being fetched from arXiv in the background; read again in a minute.';
const OFFLINE = 'QUANTSHELF_OFFLINE is set, so nothing is fetched.';
const FROM_PDF =
  'The text was taken from the PDF: formulas and tables are plain text, and headings may be wrong.';
const FROM_AR5IV = 'The text is the copy at ar5iv, which may be of an older version.';

/** What a reader should know about the sections he gets. */
export function noteReading(paper: PaperRow, freshened: Freshened, gated: boolean): string[] {
  if (gated) return [GATED];
  if (paper.textSource !== null) return [noteSource(paper), noteVersion(paper, freshened)];
  const held = paper.origin === 'starter' ? STARTER : ABSTRACT_ONLY;
  if (freshened === 'late') return [held, LATE];
  if (freshened === 'offline') return [held, OFFLINE];
  return [held, paper.textFault ?? ''];
}

function noteSource({ textSource }: PaperRow): string {
  if (textSource === 'pdf') return FROM_PDF;
  return textSource === 'ar5iv' ? FROM_AR5IV : '';
}

function noteVersion(paper: PaperRow, freshened: Freshened): string {
  const { version, textVersion, textFault } = paper;
  if (version === null || textVersion === null || textVersion >= version) return '';
  const why = freshened === 'late' ? LATE : (textFault ?? '');
  return `The text is of version ${textVersion}; the current one is ${version}. ${why}`.trim();
}
