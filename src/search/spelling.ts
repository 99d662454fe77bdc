/**
 * Converts British spelling to American, so that queries and cards match across the two. Covers only
 * what the stemmer does not already conflate.
 */

/** Beginnings of words in -ise that have no form in -ize. */
const NEVER_Z =
  /^(?:adverti|advi|ari|apprai|brui|compri|compromi|conci|crui|demi|despi|devi|disgui|enterpri|exci|exerci|experti|franchi|improvi|likewi|merchandi|noi|otherwi|paradi|poi|prai|preci|premi|promi|rai|revi|ri|supervi|surpri|televi|treati|wi)s/;

const IZE = /(?<=^\w{2,})is(?=(?:e|ed|es|er|ers|ing|ation|ations|ational)$)/;

/** Parts of words and what replaces them. */
const PARTS: readonly (readonly [british: RegExp, american: string])[] = [
  [/(?<=ana|cata|dia|hydro|para)lys(?=(?:e|ed|er|ers|es|ing)$)/, 'lyz'],
  [
    /(?<=^(?:anti|dis|intra|mis|multi|non|un)?(?:behavi|col|endeav|fav|flav|harb|hon|hum|lab|neighb|rig|rum|sav|tum|val|vap|vig))our(?=$|s|e|i|a|g|h|l)/,
    'or',
  ],
  [/(?<=(?:cent|fib|goit|lit|lust|manoeuv|met|spect|theat|tit))re(?=s?$)/, 'er'],
  [/(?<=^\w{3,}og)ue(?=s?$)/, ''],
  [/(?<=^(?:def|lic|off|pret))ence(?=s?$)/, 'ense'],
  [/(?<=gram)me(?=s?$)/, ''],
  [/sulph/, 'sulf'],
  [/aemi(?=[ac])/, 'emi'],
  [/(?<=h)ae(?=m)|(?<=an)ae(?=sth)|(?<=chim)ae(?=r)|(?<=gyn)ae(?=c)|(?<=p)ae(?=d)/, 'e'],
  [/^ae(?=tiolog)|^oe(?=dem|soph|str)/, 'e'],
  [/(?<=^f)oe(?=t)|(?<=hom)oe(?=o)|(?<=man)oe(?=u)|(?<=pn|rrh)oe(?=a)/, 'e'],
];
/** What one of the parts needs; most words have none of it, and are done with one look. */
const ANY_PART = /[ao]e|ence|lys|mme|our|res?$|sulph|ogue/;

const WHOLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ageing: 'aging',
    centred: 'centered',
    cheque: 'check',
    cheques: 'checks',
    grey: 'gray',
    judgement: 'judgment',
    sceptic: 'skeptic',
    sceptical: 'skeptical',
  }),
);

/** The American spelling of a word in lower case. */
export function americanSpelling(word: string): string {
  const whole = WHOLE.get(word);
  if (whole !== undefined) return whole;
  const spelled = NEVER_Z.test(word) ? word : word.replace(IZE, 'iz');
  if (!ANY_PART.test(spelled)) return spelled;
  return PARTS.reduce((text, [british, american]) => text.replace(british, american), spelled);
}
