/**
 * Converts British spelling to American, so that queries and cards match across the two. Covers only
 * what the stemmer does not already conflate.
 */

/** Beginnings of words in -ise that have no form in -ize. */
const NEVER_Z =
  /^(?:adverti|advi|ari|apprai|brui|compri|compromi|conci|crui|demi|despi|devi|disgui|enterpri|exci|exerci|experti|franchi|improvi|likewi|merchandi|noi|otherwi|paradi|poi|prai|preci|premi|promi|rai|revi|ri|supervi|surpri|televi|treati|wi)s/;
const OUR =
  /^((?:mis)?behavi|col|endeav|fav|flav|harb|hon|hum|lab|neighb|rum|sav|vap)our(?=$|s|e|i|a|h|l)/;
const WHOLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ageing: 'aging',
    centre: 'center',
    centred: 'centered',
    centres: 'centers',
    cheque: 'check',
    cheques: 'checks',
    defence: 'defense',
    dialogue: 'dialog',
    grey: 'gray',
    judgement: 'judgment',
    licence: 'license',
    licences: 'licenses',
    offence: 'offense',
    programme: 'program',
    programmes: 'programs',
    sceptic: 'skeptic',
    sceptical: 'skeptical',
  }),
);

/** The American spelling of a word in lower case. */
export function americanSpelling(word: string): string {
  const whole = WHOLE.get(word);
  if (whole !== undefined) return whole;
  if (/^(?:ana|para|cata|dia)lys(?:e|ed|es|er|ers|ing)$/.test(word))
    return word.replace('lys', 'lyz');
  if (/^\w{2,}is(?:e|ed|es|er|ers|ing|ation|ations|ational)$/.test(word) && !NEVER_Z.test(word)) {
    return word.replace(/is(?=(?:e|ed|es|er|ers|ing|ation|ations|ational)$)/, 'iz');
  }
  return word.replace(OUR, '$1or');
}
