import { hasSubject } from '../../search/query.ts';
import { cardIdOf, NEW_ID, OLD_NUMBER, sourceIdOf } from './arxiv/ids.ts';

/** Identifiers of papers in a text. */
interface Identifiers {
  /** In arXiv's own spelling, without a version. */
  arxivIds: string[];
  /** In lower case, without those of arXiv. */
  dois: string[];
  /** Ids of cards. */
  cardIds: string[];
  /** The text without them; '' if it then asks for nothing else. */
  rest: string;
}

/** With its subject class in some old ids: "math.PR/0601001". */
const ARCHIVE = '(?:cs|math|q-bio|q-fin|stat|[a-z]+-[a-z]+|nlin|physics)(?:\\.[a-z]{2})?';
/** The page of a paper at arXiv or at a site with the same ids. */
const ADDRESS =
  '(?:https?://)?(?:[a-z]+\\.)*(?:arxiv|alphaxiv)\\.org/[a-z-]+/|(?:https?://)?(?:www\\.)?huggingface\\.co/papers/';
const ARXIV_DOI = '(?:https?://(?:dx\\.)?doi\\.org/|doi:?\\s*)?10\\.48550/arxiv\\.';
/** White space is bounded: two unbounded runs side by side take the square of its length. */
const PREFIX = 'arxiv(?:\\s{1,3}(?:id|no\\.?|number|preprint|paper))?\\s{0,3}[:#.]?\\s{0,3}';
const ARXIV = new RegExp(
  `(?<![\\w./$€£¥-])(?:${ADDRESS}|${ARXIV_DOI}|${PREFIX})?` +
    `(?<id>${NEW_ID}|${ARCHIVE}/${OLD_NUMBER})` +
    '(?:v(?<version>[1-9]\\d{0,3}))?(?:\\.pdf)?(?![\\w/%])(?!\\.\\d)',
  'gi',
);
/** Brackets belong to it where they close; what stands at its end belongs to the sentence. */
const DOI =
  /(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:?\s*)?\b(10\.\d{4,9}\/(?:[^\s"'<>()]|\([^\s"'<>()]*\))+)/gi;
const SENTENCE_END = /(?<![.,;:!?\]}])[.,;:!?\]}]+$/;
const CARD_ID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

/** The identifiers in a text: arXiv ids of every form, DOIs, card ids. */
export function readIdentifiers(text: string): Identifiers {
  const arxivIds: string[] = [];
  const dois: string[] = [];
  const cardIds: string[] = [];
  const rest = text
    .replace(CARD_ID, (id) => {
      cardIds.push(id.toLowerCase());
      return ' ';
    })
    .replace(ARXIV, (_, name: string) => {
      arxivIds.push(canonicalOf(name));
      return ' ';
    })
    .replace(DOI, (_, doi: string) => {
      dois.push(doi.replace(SENTENCE_END, '').toLowerCase());
      return ' ';
    });
  const isFound = arxivIds.length + dois.length + cardIds.length > 0;
  return {
    arxivIds: [...new Set(arxivIds)],
    dois: [...new Set(dois)],
    cardIds: [...new Set(cardIds)],
    rest: isFound && !hasSubject(rest) ? '' : rest.trim(),
  };
}

/**
 * Resolves a card id, or an arXiv id in any form (also one that has lost its last zeros as a number), to
 * the card id. The arXiv id is null for a card id; a version is split off.
 */
export function readPaperId(text: string): {
  cardId: string;
  arxivId: string | null;
  version: number | null;
} {
  const name = withZeros(text.trim().replace(/\?.*$/s, ''));
  const [match] = name.matchAll(ARXIV);
  if (match === undefined || match[0].length !== name.length) {
    return { cardId: text.trim().toLowerCase(), arxivId: null, version: null };
  }
  const { id = '', version } = match.groups ?? {};
  const arxivId = canonicalOf(id);
  const cardId = cardIdOf(sourceIdOf(arxivId));
  return { cardId, arxivId, version: version === undefined ? null : Number(version) };
}

/** 2510.2315 was 2510.23150 before it became a number. */
function withZeros(text: string): string {
  const [, year = ''] = /^(\d\d)\d\d\.\d+$/.exec(text) ?? [];
  return year === '' ? text : text.padEnd(Number(year) < 15 ? 9 : 10, '0');
}

/** An id in arXiv's own spelling: lower case, without the subject class of old ones. */
const canonicalOf = (id: string) => id.toLowerCase().replace(/\.[a-z]{2}\//, '/');
