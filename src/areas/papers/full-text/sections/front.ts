import { toAscii } from '../../../../core/text.ts';

/** Bibliographic facts stated in a document; null or empty unless certain. */
export interface Front {
  title: string | null;
  authors: string[];
  /** YYYY. */
  year: string | null;
  /** As stated, such as 2401.00001v2; not validated. */
  arxivId: string | null;
  /** Primary category on arXiv, such as q-fin.PM. */
  category: string | null;
  doi: string | null;
  /** Letters and digits of a PDF's first page or an HTML page's title, used to look up titles and names. */
  letters: string;
}

export const ARXIV_ID = '((?:\\d{4}\\.\\d{4,5}|[a-z-]+(?:\\.[A-Z]{2})?/\\d{7})(?:v\\d+)?)';
/** arXiv's stamp in the margin: "arXiv:2401.00001v2 [q-fin.PM] 3 Jan 2024". */
export const STAMP = new RegExp(`arXiv:\\s*${ARXIV_ID}\\s*\\[([a-z-]+(?:\\.[A-Za-z-]+)?)\\]`);

/** The letters and digits of a text in lower-case ASCII, for comparison. */
export function lettersOf(text: string): string {
  return toAscii(text).replace(/[^\p{L}\p{N}]/gu, '');
}

const DOI = /\b10\.\d{4,9}\/[^\s"'<>(){}[\],;]{1,280}/g;

/** The only DOI in a text; null if there is none or several, some of which may be other papers'. */
export function onlyDoi(text: string): string | null {
  const all = text.match(DOI)?.map((doi) => doi.replace(/[.:]+$/, '').toLowerCase());
  const [doi, ...others] = new Set(all);
  return others.length === 0 ? (doi ?? null) : null;
}

/** Words that may be printed near author names, but are not part of one. */
export const NO_NAME =
  /\b(?:universit|dep(?:t|artment)\b|institut|school|college|facult|cent(?:er|re)\b|bank\b|research|laborator|labs?\b|inc\b|ltd\b|llc\b|corp|group|capital|management|academy|society|association|foundation|ministry|federal|reserve|economics?\b|financ|mathemati|statistic|engineering|sciences?\b|business|abstract|keywords?|introduction|draft|version|working|paper|preprint|journal|review|letters|report|revised|this\b|the\b|with\b|from\b|for\b|new york|hong kong|united|kingdom|states|usa\b|january|february|march\b|april|june|july|august|september|october|november|december|street|avenue|road\b|corresponding|author|email|google|microsoft)/i;
const NAME_WORD = /^(?:\p{Lu}\.?|(?:\p{Lu}\.-?)+|\p{Lu}[\p{L}\p{M}'’.-]*\p{L}\.?)$/u;
const PARTICLE =
  /^(?:de|da|di|del|della|der|den|las|los|van|von|zu|la|le|el|al|bin|ibn|dos|du|ter|ten)$/;

/** Maximum length, in UTF-16 code units; a longer line is not a list of authors. */
const MAX_LIST = 1_000;

/** The names in a list of authors; empty if any part is not a name. */
export function namesIn(line: string): string[] {
  if (line.length > MAX_LIST) return [];
  const marks = /[\p{S}*†‡§¶#]|\([\d,]+\)|(?<=\p{L})\d+(?:\s*,\s*\d+)*/gu;
  const parts = line
    .replace(/^by\s+/i, '')
    .replace(marks, ' ')
    .split(/\s*[,;&·|]\s*|\s+(?:and|AND)\s+/u)
    .map((part) =>
      part
        .replace(/^(?:and|by)\s+|\s*\d[\d\s,]*$/gi, '')
        .replace(/\s+/g, ' ')
        .trim()
        // Drop a footnote letter.
        .replace(/^\p{Ll} | \p{Ll}$/gu, ''),
    )
    .filter((part) => part !== '' && !/^(?:\d+|ph\.?d\.?|cfa|jr\.?)$/i.test(part));
  return parts.every(isName) ? parts.map(inCase) : [];
}

function isName(text: string): boolean {
  const words = text.split(' ');
  return (
    words.length >= 2 &&
    words.length <= 6 &&
    !NO_NAME.test(text) &&
    words.every((word) => NAME_WORD.test(word) || PARTICLE.test(word)) &&
    /\p{L}{2}/u.test(words.at(-1) ?? '')
  );
}

/** Capitalises only the first letter of each word in an upper-case name. */
function inCase(name: string): string {
  if (name !== name.toUpperCase()) return name;
  return name.replace(/\p{L}{2,}/gu, (word) => word.charAt(0) + word.slice(1).toLowerCase());
}
