import { hasSubject } from '../../search/query.ts';
import { cardIdOf, isOwnId, NEW_ID, OLD_NUMBER, sourceIdOf } from './arxiv/ids.ts';

/** Identifiers of papers in a text. */
interface Identifiers {
  /**
   * Card ids, source ids such as arxiv:2401.00001, and DOIs as doi:10.1000/x; in lower case, each
   * once.
   */
  names: string[];
  /** The rest of the text; '' if it has no subject. */
  rest: string;
}

/** Some old ids include a subject class: "math.PR/0601001". */
const ARCHIVE = '(?:cs|math|q-bio|q-fin|stat|[a-z]+-[a-z]+|nlin|physics)(?:\\.[a-z]{2})?';
/** Start of the URL of a paper's page on arXiv, or on a site that uses the same ids. */
const ADDRESS =
  '(?:https?://)?(?:[a-z]+\\.)*(?:arxiv|alphaxiv)\\.org/[a-z-]+/|(?:https?://)?(?:www\\.)?huggingface\\.co/papers/';
const ARXIV_DOI = '(?:https?://(?:dx\\.)?doi\\.org/|doi:?\\s*)?10\\.48550/arxiv\\.';
/** White space is bounded: two adjacent unbounded stretches take quadratic time. */
const PREFIX = 'arxiv(?:\\s{1,3}(?:id|no\\.?|number|preprint|paper))?\\s{0,3}[:#.]?\\s{0,3}';
const ARXIV = new RegExp(
  `(?<![\\w./$€£¥-])(?:${ADDRESS}|${ARXIV_DOI}|${PREFIX})?` +
    `(?<id>${NEW_ID}|${ARCHIVE}/${OLD_NUMBER})` +
    '(?:v(?<version>[1-9]\\d{0,3}))?(?:\\.pdf)?(?![\\w/%])(?!\\.\\d)',
  'gi',
);
/** Balanced brackets belong to the id; punctuation at its end belongs to the sentence. */
const DOI =
  /(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:?\s*)?\b(10\.\d{4,9}\/(?:[^\s"'<>()]|\([^\s"'<>()]*\))+)/gi;
const WHOLE_DOI = new RegExp(`^${DOI.source}$`);
const SENTENCE_END = /(?<![.,;:!?\]}])[.,;:!?\]}]+$/;
const CARD_ID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

/** The identifiers in a text: arXiv ids in any form, DOIs, card ids. */
export function readIdentifiers(text: string): Identifiers {
  const names = new Set<string>();
  const take = (name: string) => {
    names.add(name);
    return ' ';
  };
  const rest = text
    .replace(CARD_ID, (id) => take(id.toLowerCase()))
    .replace(ARXIV, (_, id: string) => take(sourceIdOf(canonicalOf(id))))
    .replace(DOI, (_, doi: string) => take(`doi:${doi.replace(SENTENCE_END, '').toLowerCase()}`));
  return { names: [...names], rest: names.size > 0 && !hasSubject(rest) ? '' : rest.trim() };
}

/**
 * Resolves an id to the card id. It may be a card id, an arXiv id in any form (even one that lost
 * its trailing zeros as a number), a DOI in any form, or the source id of one of the user's own
 * papers. `arxivId` and `version` are null unless the text is an arXiv id.
 */
export function readPaperId(text: string): {
  cardId: string;
  arxivId: string | null;
  version: number | null;
} {
  const name = withZeros(text.trim().replace(/\?.*$/s, ''));
  const [match] = name.matchAll(ARXIV);
  if (match === undefined || match[0].length !== name.length) {
    const id = text.trim().toLowerCase();
    const [, doi] = WHOLE_DOI.exec(id) ?? [];
    const own = doi === undefined ? id : `doi:${doi}`;
    return { cardId: isOwnId(own) ? cardIdOf(own) : id, arxivId: null, version: null };
  }
  const { id = '', version } = match.groups ?? {};
  const arxivId = canonicalOf(id);
  const cardId = cardIdOf(sourceIdOf(arxivId));
  return { cardId, arxivId, version: version === undefined ? null : Number(version) };
}

/** Restores trailing zeros: as a number, 2510.23150 becomes 2510.2315. */
function withZeros(text: string): string {
  const [, year = ''] = /^(\d\d)\d\d\.\d+$/.exec(text) ?? [];
  return year === '' ? text : text.padEnd(Number(year) < 15 ? 9 : 10, '0');
}

/** An id in arXiv's own spelling: lower case, without the subject class of old ids. */
const canonicalOf = (id: string) => id.toLowerCase().replace(/\.[a-z]{2}\//, '/');
