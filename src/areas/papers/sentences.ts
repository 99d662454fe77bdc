import { findFormulas } from './latex.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Abbreviations that never end a sentence. */
const WITHIN =
  /\b(?:e\.\s?g|i\.\s?e|w\.\s?r\.\s?t|cf|c\.f|vs|viz|resp|approx|Figs?|Eqs?|Eqns?|Secs?|Sects?|Refs?|Tabs?|Thms?|Defs?|Props?|Lem|Chs?|Nos?|Vols?|pp|Dr|Prof|Mrs?|Ms|St|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)\.\s*$/;
/** Abbreviations and initials that may end a sentence. */
const MAYBE_LAST =
  /\b(?:et al|etc|a\.\s?k\.\s?a|Inc|Ltd|Corp|Co|Jr|Sr|(?<=^|[\s(])(?:[A-Za-z]\.)*[A-Z]|[A-Za-z]\.[a-z])\.\s*$/;
/** Abbreviations only before a number: "No. 5", but "Can it last? No." */
const BEFORE_NUMBER = /\b(?:Nos?|Figs?|Eqs?|Secs?|Tabs?|Vols?|pp|Art|Ch)\.\s*$/;
/** Typical first words of a sentence; before them even "in the U.S." ends one. */
const BEGINNING =
  /^["“(]?(?:We|Our|The|This|These|Those|It|Its|In|On|For|To|By|From|With|Using|Here|Under|While|When|However|Moreover|Furthermore|Finally|First|Second|Results?|Empirical|Although|As|At|An?|There|They|Both|Such|Based|Unlike|Through|Across)(?=[\s,])/;
/** Later text is ignored: segmentation is quadratic in the length of a sentence. */
const LONGEST = 20_000;
/** Characters examined before a possible end of a sentence. */
const TAIL = 40;
/** The number of a list item, with nothing after it. */
const LIST_NUMBER = /(?:^|[.:;,]\s)\s*\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])[.)]\s*$/;

/**
 * The sentences of an abstract, in order, trimmed. Follows Unicode's rules except where they fail on
 * scientific prose: abbreviations, initials, lists, and formulas that contain a full stop.
 */
export function splitSentences(text: string): string[] {
  return text
    .slice(0, LONGEST)
    .split(/\n\s*\n/)
    .flatMap(splitParagraph)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function splitParagraph(paragraph: string): string[] {
  const line = paragraph.replace(/\s+/g, ' ').trim();
  const sentences: string[] = [];
  let start = 0;
  // The tail of the current sentence.
  let open = '';
  for (const { segment, index } of segmenter.segment(hideFormulas(line))) {
    if (open !== '' && endsSentence(open, segment)) {
      sentences.push(line.slice(start, index).trim());
      start = index;
      open = '';
    }
    open = (open + segment).slice(-TAIL);
  }
  sentences.push(line.slice(start).trim());
  return sentences;
}

/** Masks formulas with letters; the length stays the same. */
function hideFormulas(line: string): string {
  let hidden = '';
  let from = 0;
  for (const { index, end, tex } of findFormulas(line)) {
    const length = end - index;
    // A formula may end with the full stop of its sentence.
    const last = /\.\s*$/.test(tex) ? '.' : 'x';
    hidden += `${line.slice(from, index)}${'X'.repeat(length - 1)}${last}`;
    from = end;
  }
  return hidden + line.slice(from);
}

function endsSentence(before: string, after: string): boolean {
  if (/^\s*[),;:=\]]/.test(after)) return false;
  if (/^\s*[a-z]/.test(after) && !/[!?]["”’)]?\s*$/.test(before)) return false;
  if (LIST_NUMBER.test(before)) return false;
  if (WITHIN.test(before) && !(BEFORE_NUMBER.test(before) && !/^\s*[\d(]/.test(after)))
    return false;
  if (/\bet al\.\s*$/.test(before) && /^\s*\(/.test(after)) return false;
  return !MAYBE_LAST.test(before) || BEGINNING.test(after.trim());
}
