import { type Freshened, goOnline } from '../../core/context.ts';
import { printable } from '../../core/input.ts';
import { countOf } from '../../core/text.ts';
import type { Field } from '../../search/query.ts';
import { arxivIdOf, setNamed } from './arxiv/ids.ts';
import { FIRST_PARAGRAPH } from './full-text/sections/abstract.ts';
import type { ManifestRow, PaperRow } from './queries.ts';
import type { Authors } from './restrictions.ts';

/*
 * Parts of `meta.notice`, which `noticeOf` joins. Each is a statement of its own, or empty if there
 * is nothing to say.
 */

/** Maximum number of characters quoted from a question's fields. */
const MAX_LABEL = 200;
/** Maximum number of papers named in a notice. */
const MAX_NAMED = 3;

const WHY_NOT_FETCHED: Readonly<Partial<Record<Freshened, string>>> = {
  pending: 'The fetch from arXiv continues in the background: call again in a minute.',
  // In a one-shot process, which ends with its reply.
  timed_out:
    'The fetch took longer than this call could wait: call again, or run a server, which keeps fetching after it replies.',
  offline: 'QUANTSHELF_OFFLINE is set, so nothing is fetched: unset it, then call again.',
  read_only: 'The data directory is not writable, so nothing is fetched.',
  unreachable: 'arXiv could not be reached: try again in a minute.',
};

/** Says that a search found nothing, or how many of its `total` papers fit into the reply. */
export function describeSearch(papers: readonly PaperRow[], total: number): string {
  if (papers.length === 0) return 'No paper on this shelf matches.';
  return papers.length < total
    ? `Only ${papers.length} of ${total} papers could fit in one reply; ask more specifically to reach the others.`
    : '';
}

type Section = ManifestRow & { content: string };

/** Maximum number of sections named in a notice. */
const MAX_KEYS = 12;

/** Names the `chosen` sections that did not fit, and the one cut because no reply can hold it. */
export function describeOthers(chosen: readonly Section[], included: readonly Section[]): string[] {
  const contents = new Map(included.map(({ section_key, content }) => [section_key, content]));
  const others = chosen
    .filter(({ section_key }) => !contents.has(section_key))
    .map(({ section_key, char_count }) => `${section_key} (${char_count.toLocaleString('en-US')})`);
  const cut = chosen.find((one) => (contents.get(one.section_key) ?? one.content) !== one.content);
  const more = others.length > MAX_KEYS ? ` and ${others.length - MAX_KEYS} more` : '';
  return [
    cut === undefined
      ? ''
      : `${cut.section_key} is too long for a reply over MCP and was cut: REST and \`quantshelf call\` return all of it.`,
    others.length === 0
      ? ''
      : `Not in this reply, but available by key (char_count): ${others.slice(0, MAX_KEYS).join(', ')}${more}.`,
  ];
}

/** Says that a card lists only its first sections. */
export function describeManifests(
  cards: readonly { sectionCount: number; availableSections: readonly unknown[] }[],
): string {
  return cards.some(({ sectionCount, availableSections: { length } }) => length < sectionCount)
    ? 'If availableSections has fewer entries than sectionCount, the resource quantshelf://paper/{paperCardId} lists all sections.'
    : '';
}

/** Says which papers named in a question are not stored; empty if there are none. */
export function describeMissing(names: readonly string[]): string {
  if (names.length === 0) return '';
  const isArxiv = names.some((name) => name.startsWith('arxiv:'));
  const verb = names.length === 1 ? 'is' : 'are';
  const remedy = isArxiv ? ': paper_read fetches papers by arXiv id when online' : '';
  return `${names
    .slice(0, MAX_NAMED)
    .map((name) => printable(name))
    .join(', ')} ${verb} not on this shelf${remedy}.`;
}

/**
 * Explains why no paper fits a question with fields. Each of the fields in `barren` excludes every
 * paper on its own.
 */
export function describeFilter(
  fields: readonly string[],
  { papers, fitsSome, barren }: { papers: number; fitsSome: boolean; barren: readonly Field[] },
): string {
  if (fields.length === 0) return '';
  const guilty = barren.length > 0 ? barren.map(writeField) : fields;
  const filter = printable(guilty.join(' '), MAX_LABEL);
  const isUnknown = barren.some(({ name, value }) => name === 'cat' && setNamed(value) === null);
  const unknown = isUnknown ? '; arXiv lists no such category' : '';
  const isOwn = barren.some(({ name, isExcluded }) => name === 'source' && !isExcluded);
  const own = isOwn ? '; `quantshelf add` puts your own there, for this machine alone' : '';
  return fitsSome
    ? `"${filter}" matches papers, but none of them matches the rest of the question: drop one of the two.`
    : `"${filter}" excludes all ${papers.toLocaleString('en-US')} papers on this shelf${unknown}${own}.`;
}

/** A field as it is written in a question. */
export function writeField({ name, value, isExcluded }: Field): string {
  return `${isExcluded ? '-' : ''}${name}:${value}`;
}

/** Says that a word before a colon, as in "authr:cont", is none of the `fields`. */
export function describeFields(question: string, fields: readonly string[]): string {
  const written = question.matchAll(/(?<=^|[\s(-])(\p{L}\p{Ll}+):(?=["\p{L}\p{N}])/gu);
  const unknown = [...written].find(([, name = '']) => !fields.includes(name.toLowerCase()))?.[1];
  return unknown === undefined
    ? ''
    : `"${printable(unknown)}:" is not one of the fields (${fields.join(':, ')}:), so it was read as a word.`;
}

/** Words that suggest a date filter; arXiv began in 1991. */
const DATED = /\b(?:199[1-9]|20\d\d|newest|latest|recent(?:ly)?)\b/iu;

/** Says that an author is not stored, how to leave out an author, or how to write author fields. */
export function describeAuthors(
  { missing, names, unwanted }: Authors,
  { fields, subject, isNothing }: { fields: readonly Field[]; subject: string; isNothing: boolean },
): string {
  if (missing !== '') return `No stored paper is by ${printable(missing)}.`;
  const [out = ''] = unwanted;
  if (out !== '') return `To leave out an author, add -author:"${printable(out)}".`;
  const isPlain = fields.some(
    ({ name, value, isExcluded }) => name === 'author' && !isExcluded && !/\s/u.test(value),
  );
  const isCut = names.length > 0 || (isNothing && /\p{Lu}/u.test(subject));
  return isPlain && isCut
    ? 'For two authors, write author:bouchaud,lillo; quote a name of several words: author:"van der berg".'
    : '';
}

/** Says that the only word of a question, read as an author, is also in the text of papers. */
export function describeLoneName(name: string, papers: number): string {
  return papers === 0
    ? ''
    : `"${printable(name)}" was read as an author; for ${countOf(papers, 'paper')} with the word, add another word.`;
}

const isDate = ({ name, isExcluded }: Field) =>
  !isExcluded && ['since', 'until', 'year'].includes(name);

/** Says how to filter by date, if the question seems to ask for dates but has no field for them. */
export function describeDates(subject: string, fields: readonly Field[]): string {
  return DATED.test(subject) && !fields.some(isDate)
    ? 'Ranked by subject, not by date: for dates, add since:2026-05, until:2025 or year:2024.'
    : '';
}

/** Says that a date filter leaves out undated papers, unless it excludes dates. */
export function describeUndated(fields: readonly Field[], undated: number): string {
  if (!fields.some(isDate) || undated === 0) return '';
  return undated === 1
    ? 'One of your own papers has no known date, so no date filter finds it.'
    : `${undated} of your own papers have no known date, so no date filter finds them.`;
}

/** Says why a paper was not added. `added` is null for an id that is not arXiv's: it is never requested. */
export function describeUnheld(id: string, added: Freshened | null): string {
  if (added === null) return describeUnread(id, null);
  const why = WHY_NOT_FETCHED[added];
  return why === undefined
    ? 'This paper is not on the shelf, and arXiv did not return it: check the id, or try again in a minute. It may have been withdrawn.'
    : `This paper is not on the shelf yet. ${why}`;
}

/** Says that a paper was withdrawn, or superseded by another paper. */
export function describeWithdrawal({ sourceId, withdrawnOn, comment }: PaperRow): string {
  const when = withdrawnOn === null ? '' : ` on ${withdrawnOn}`;
  const isReplaced = /superseded by/i.test(comment ?? '') && !/withdr|retract/i.test(comment ?? '');
  return `The paper was ${isReplaced ? 'superseded by another' : 'withdrawn'}${when}: ${arxivIdOf(sourceId)} is not served. Use paper_search to find others.`;
}

/** Says that a paper is not stored, in a call that fetches nothing. */
export function describeUnread(id: string, arxivId: string | null): string {
  return arxivId === null
    ? `No paper on this shelf has the id "${printable(id)}". Use the paperCardId of a paper_search card, or an arXiv id such as 2510.23150, or an old one such as q-fin/0601001 (in a URI, q-fin%2F0601001).`
    : `${arxivId} is not on this shelf, and this call cannot fetch it. When online, call paper_read with this id as paperCardId, then try again.`;
}

/** Says that some of the papers are from the starter shelf. */
export function describeStarter(papers: readonly PaperRow[], isOffline?: boolean): string {
  return papers.some(({ origin }) => origin === 'starter')
    ? `The starter shelf is a small selection, with digests by QuantShelf instead of abstracts: ${goOnline(isOffline)}fill it with \`quantshelf sync papers\`.`
    : '';
}

/** For a reply with sections of a text that was replaced during the call. */
export const REPLACED =
  'The text was replaced during this call: these sections are from the previous one (for a starter paper, a digest by QuantShelf), and availableSections lists those of the new one.';

const FORMAT_NOTES = {
  html: '',
  ar5iv: 'The text is a copy from ar5iv, which may be of an older version.',
  pdf: 'The text was extracted from the PDF: formulas and tables are plain text, and headings may be wrong.',
} as const;

/** Notices about a paper's text, the most important first. */
export function describeReading(
  paper: PaperRow,
  freshened: Freshened,
  gated: boolean,
  sections: readonly Section[] = [],
): string[] {
  const { version, textVersion, textFormat, lastPage, pages } = paper;
  if (gated) {
    return [
      'This server serves full text only under a licence that permits it, so only the abstract is available here; the paper itself is at pdfUrl.',
    ];
  }
  const isOwnText = paper.textId < 0;
  const why = WHY_NOT_FETCHED[freshened] ?? paper.textFault ?? '';
  if (textFormat === null) {
    const stored =
      paper.origin === 'starter'
        ? 'these sections are a digest of the abstract and notes on it by QuantShelf; the paper itself is at pdfUrl'
        : 'only the abstract is available';
    return [`Full text not stored: ${stored}.`, why];
  }
  const isGuessed = sections.some(
    ({ section_key, title }) => section_key === 'abstract' && title === FIRST_PARAGRAPH,
  );
  const notes = [
    paper.withdrawnOn === null
      ? ''
      : `This paper was withdrawn from arXiv on ${paper.withdrawnOn}.`,
    isOwnText && paper.origin !== 'own' ? 'The text is from your own file.' : '',
    isGuessed
      ? 'The document has no labelled abstract: its first paragraph stands in for one.'
      : '',
    FORMAT_NOTES[textFormat],
    lastPage === null
      ? ''
      : `Only the first ${lastPage} of its ${pages} pages were read: the rest is at pdfUrl.`,
  ];
  if (version === null || (textVersion ?? 0) >= version) return notes;
  const stored = textVersion === null ? 'of an unknown version' : `of version ${textVersion}`;
  const text = `The text is ${stored}; the current version is ${version}.`;
  // Nothing is fetched to replace the user's own text.
  return [...notes, text, isOwnText ? '' : why];
}
