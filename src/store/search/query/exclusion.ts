import { isStopWord } from '../lexical/tokenise.ts';

/** A question and what it says it is not about. */
export interface WithExclusion {
  /** Without the exclusion. */
  text: string;
  /** The subjects excluded; null for none. */
  excluded: string | null;
}

const DOCUMENTS =
  '(?:any(?:thing)? |papers? |articles? |studies |research |work |those |the ones |ones |literature |stuff )*';
const ABOUT =
  '(?:about|on|regarding|concerning|involving|related to|relating to|covering|focus(?:ed|ing) on|dealing with|based on|that (?:deal with|are about|are on|use|cover|involve))';
/** What says nothing about a subject still has one. */
const NOTHING =
  '(?<!\\b(?:say|says|said|saying|tell|tells|told|telling|know|knows|knew|reveal|reveals|imply|implies) )nothing';
/** What leads an exclusion; "without" alone leads none. */
const MARKERS = [
  `(?:but |and |though |just )?(?:not|${NOTHING}|none|no (?:papers?|articles?|studies|work|research|literature)) ${DOCUMENTS}${ABOUT}`,
  `(?:but )?(?:without|no mention of|not including|not counting|not interested in|don['’]t want|do not want|don['’]t (?:show|give) me|please avoid|avoid) ${DOCUMENTS}${ABOUT}`,
  `(?:please |but |and )?(?:exclud(?:ing|e)|except(?:ing)?(?: for)?|other than|apart from|aside from|leav(?:ing|e) (?:out|aside)|not including|not counting)(?: ${DOCUMENTS}${ABOUT}| ${DOCUMENTS}|)`,
  '(?:rather than|instead of|as opposed to)',
  '(?:but not|(?<=, ?)not)(?: (?:in|for|of|to|with|by))?',
  `(?:and |but )?(?:${NOTHING}|no (?:papers?|articles?|studies|work|research|literature)) (?:using|with|from|that uses?)`,
  "(?:i am |i['’]m |we are |we['’]re )?not interested in|(?:(?:i|we) )?(?:do not|don['’]t) (?:want|need|include|show(?: me)?|give me)|please avoid",
  // As an order or an aside. In a sentence they can be of the subject: "models that ignore jumps".
  `(?<=^|[,;.:!?(–—] ?|\\b(?:please|and|but) )(?:please )?(?<order>ignore|skip|omit)(?: ${DOCUMENTS}${ABOUT}| ${DOCUMENTS}|)`,
  '(?<=^|[,;.:!?(–—] ?|\\bplease )(?:please |and |but )?(?<bare>no)',
];
const SUBJECT = '[^,.;:?!()–—\\n]{2,80}?';
/** The space after a comma is part of the item: were it optional, a long list would be read in ever more ways. */
const LIST = `${SUBJECT}(?:,[^,.;:?!()–—\\n]{2,41}?)*,? (?:and|or|nor) ${SUBJECT}`;
const END =
  '(?=\\s*(?:[,.;:?!()–—\\n]|$)|\\s+(?:please|thanks|but|which|because|while|when|where|since \\d|after \\d|before \\d)\\b)';
const EXCLUSION = new RegExp(
  `(?<=^|[\\s(,])\\(?(?:${MARKERS.join('|')})\\s+(?<subject>${LIST}|${SUBJECT})${END}\\s*\\)?`,
  'giu',
);

/** Words after a marker that only turn a sentence. */
const TURN =
  /^(?:to\b|out[- ]of|only|necessarily|always|all\b|too\b|yet\b|so\b|vice|the other|enough|just|that\b|how\b|why\b|whether|if\b|when\b|what\b|limited|restricted|sure|be\b|been\b|significant|statistic)/iu;
/** Measures that are named after what they leave out. */
const MEASURES =
  /^(?:the )?(?:food|energy|shelter|autos?|dividends?|outliers|weekends|holidays)\b/iu;
/** What a model or a result can do without: "American puts, no dividends" is a subject. */
const CONDITIONS =
  /\b(?:arbs?|arbitrages?|trad(?:e|es|ing|ers?)|transactions?|costs?|fees?|taxe?s?|frictions?|slippage|impact|free|lunch(?:es)?|short(?:s|ing|-?selling|[- ]sales?)?|dividends?|leverage|borrowing|lending|collateral|margin|recourse|defaults?|jumps?|drift|memory|skew|look-?ahead|leak(?:age|s)?|bias|overfitting|closed|forms?|tuning|parameters?|assum\w+|constraints?|restrictions?|chang\w+|cuts?|hikes?|launch|effects?|evidence|differences?|correlations?|relationships?|signals?|information|knowledge|data|code|labels?|training|access|betting|borders?|dominance|ruin|regrets?|bubbles?|insurance|intermediar\w+|guarantees?|equity|butterfly|violations?|rebalancing|interest|risks?|exercise|more|less|longer|one|single|other|matter|doubts?|wonder|way|idea|pressure|offen[cs]e|preference|particular|specific|^i mean|jargon|^debt$|commitment|enforcement|bailouts?|recall|stop-?loss(?:es)?|competition|uncertainty|calibration|problems?|rush|hurry|worries|need|limits?)\b/iu;
/** What an order is about that tells how to answer. */
const REPLY =
  /\b(?:previous|earlier|above|instructions?|typos?|spelling|grammar|format\w*|intro\w*|preambles?|explanations?|summar\w+|details?|questions?|messages?|steps?)\b/iu;
/** Most words of what follows a bare "no". */
const BARE_WORDS = 4;
const LEADING =
  /^(?:(?:the|any|an?|all|anything|things|papers|articles|studies|those|about|on) )+/iu;
const MAX_WORDS = 10;

/**
 * Takes the subjects that a question excludes out of it. Cards that are not prose have outcomes: in
 * "soft landing, no recession" nothing is excluded, unless it says "please".
 */
export function splitExclusion(question: string, isProse: boolean): WithExclusion {
  const subjects: string[] = [];
  const text = question
    .replace(EXCLUSION, (whole: string, ...found) => {
      const { subject, order, bare }: Groups = found.at(-1);
      const end = found.at(-3) + whole.length;
      const plain = subject
        .trim()
        .replace(/(?<=[,;] |\b(?:and|or|nor) )(?:and |or |nor )?(?:no|not) /giu, '')
        .replace(LEADING, '');
      if (TURN.test(plain) || MEASURES.test(plain) || !isSubject(plain)) return whole;
      if ((order ?? bare) !== undefined && REPLY.test(plain)) return whole;
      if (bare !== undefined) {
        const isAsked = /^please\b/iu.test(whole) || /^[\s,]*please\b/iu.test(question.slice(end));
        if (CONDITIONS.test(plain) || (!isProse && !isAsked)) return whole;
        if (!isAsked && !isSubject(plain, BARE_WORDS)) return whole;
      }
      subjects.push(plain);
      return ' ';
    })
    .replace(/\s+/g, ' ')
    .replace(/\s*,?\s*(?=[.?!]?$)/, '')
    .trim();
  const isLeft = isSubject(text, Number.POSITIVE_INFINITY);
  // "Not crypto" about events asks for no other; of papers an author or a date may stand beside it.
  if (subjects.length === 0 || !(isLeft || isProse)) return { text: question, excluded: null };
  return { text: isLeft ? text : '', excluded: subjects.join(', ') };
}

interface Groups {
  subject: string;
  /** "ignore" and the like. */
  order?: string;
  /** "no" alone. */
  bare?: string;
}

function isSubject(text: string, most = MAX_WORDS): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length <= most && words.some((word) => !isStopWord(word));
}
