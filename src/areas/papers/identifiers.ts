import { hasSubject } from '../../search/query.ts';
import { cardIdOf, isArxivId, sourceIdOf } from './arxiv/ids.ts';

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
    `(?<id>\\d{4}\\.\\d{4,5}|${ARCHIVE}/\\d{7})` +
    '(?:v[1-9]\\d{0,3})?(?:\\.pdf)?(?![\\w/%])(?!\\.\\d)',
  'gi',
);
const DOI = /(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:?\s*)?\b(?<id>10\.\d{4,9}\/[^\s"'<>]+)/gi;
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
    .replace(ARXIV, (whole, name: string) => {
      const id = canonicalOf(name);
      if (id === null) return whole;
      arxivIds.push(id);
      return ' ';
    })
    .replace(DOI, (_, doi: string) => {
      dois.push(withoutEnd(doi).toLowerCase());
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

/** The arXiv id that a whole text is, in any form, with its version; null for any other text. */
export function readArxivId(text: string): { id: string; version: number | null } | null {
  const name = text.trim().replace(/\?.*$/s, '');
  const [match] = name.matchAll(ARXIV);
  if (match === undefined || match[0].length !== name.length) return null;
  const id = canonicalOf(match.groups?.id ?? '');
  const version = /v(\d+)(?:\.pdf)?$/i.exec(name)?.[1];
  return id === null ? null : { id, version: version === undefined ? null : Number(version) };
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
  const read = readArxivId(text) ?? readArxivId(withZeros(text));
  if (read === null) return { cardId: text.trim().toLowerCase(), arxivId: null, version: null };
  return { cardId: cardIdOf(sourceIdOf(read.id)), arxivId: read.id, version: read.version };
}

/** 2510.2315 was 2510.23150 before it became a number; ids have five digits since 2015. */
function withZeros(text: string): string {
  return /^(?:0[7-9]|1[0-4])\d\d\.\d{1,3}$/.test(text)
    ? text.padEnd(9, '0')
    : text.replace(/^\d{4}\.\d{1,4}$/, (id) => id.padEnd(10, '0'));
}

/**
 * An id in arXiv's own spelling: lower case, without the subject class of old ones; null where the
 * month, or the number of digits for its time, shows that it is none.
 */
function canonicalOf(text: string): string | null {
  const id = text.toLowerCase().replace(/\.[a-z]{2}\//, '/');
  const [, year = '', month = '', digits = ''] = /(?:^|\/)(\d\d)(\d\d)\.?(\d+)$/.exec(id) ?? [];
  if (!isArxivId(id) || Number(month) < 1 || Number(month) > 12) return null;
  const isOld = id.includes('/');
  if (isOld) return Number(year) > 90 || Number(year) <= 7 ? id : null;
  const expected = Number(year) < 15 ? 4 : 5;
  return Number(year) >= 7 && digits.length === expected ? id : null;
}

/** A DOI without the punctuation of the sentence around it. */
function withoutEnd(doi: string): string {
  const plain = doi.replace(/(?<![.,;:!?\]}])[.,;:!?\]}]+$/, '');
  const opened = plain.split('(').length;
  return plain.endsWith(')') && plain.split(')').length > opened ? plain.slice(0, -1) : plain;
}
