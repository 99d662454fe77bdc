const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A full stop that ends a short form, not a sentence. */
const SHORT_FORM =
  /(?:\b(?:e\.\s?g|i\.\s?e|a\.k\.a|w\.r\.t|cf|vs|viz|resp|approx|al|etc|Figs?|Eqs?|Secs?|Refs?|Tabs?|Nos?|Vol|pp|Dr|Prof|Mrs?|Ms|St|Inc|Ltd|Corp|Co|Jr|Sr|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)|\b(?:[A-Za-z]\.)*[A-Z])\.\s*$/;
/** Words with which a sentence may well begin, so that even "in the U.S." may have ended one. */
const BEGINNING =
  /^["“(]?(?:We|Our|The|This|These|Those|It|Its|In|On|For|To|By|From|With|Using|Here|Under|While|When|However|Moreover|Furthermore|Finally|First|Second|Results?|Empirical|Although|As|At|An?|There|They|Both|Such)\b/;
/** What may both end a sentence and stand within one. */
const AMBIGUOUS = /\b(?:al|etc|Inc|Ltd|Corp|Co|[A-Z]\.[A-Z])\.\s*$/;

/**
 * The sentences of an abstract, in their order, each trimmed. Unicode's own rules, less their known
 * faults on scientific prose: short forms, initials, and formulas with a full stop inside.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    let open = '';
    for (const { segment } of segmenter.segment(paragraph.replace(/\s+/g, ' '))) {
      if (open !== '' && !endsSentence(open, segment)) {
        open += segment;
        continue;
      }
      if (open !== '') sentences.push(open.trim());
      open = segment;
    }
    if (open.trim() !== '') sentences.push(open.trim());
  }
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function endsSentence(before: string, after: string): boolean {
  if (isInsideMath(before)) return false;
  if (/^[\s]*[a-z(),;:]/.test(after) && !/[!?]\s*$/.test(before)) return false;
  if (/^\s*\d/.test(after) && /\b(?:No|Nos|Figs?|Eqs?|Secs?|Tabs?|Vol|pp)\.\s*$/.test(before)) {
    return false;
  }
  if (!SHORT_FORM.test(before)) return true;
  return AMBIGUOUS.test(before) && BEGINNING.test(after.trim());
}

/** Dollars that are no money come in pairs. */
function isInsideMath(text: string): boolean {
  const dollars = text.match(/(?<!\\)\$(?!\d)/g)?.length ?? 0;
  return dollars % 2 === 1 && /\$[^$]*$/.test(text) && !/\$\d[^$]*$/.test(text);
}
