import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopWord, tokenise } from '../lexical/tokenise.ts';
import { tidy } from './tidy.ts';
import { setOf, subjectWords } from './words.ts';

/** A question and what it says it is not about. */
export interface WithExclusion {
  /** Without the exclusion. */
  text: string;
  /** The subjects excluded; null for none. */
  excluded: string | null;
}

const PAPERS = '(?:papers?|articles?|studies|work|research|literature)';
const DOCUMENTS =
  '(?:any(?:thing)? |papers? |articles? |studies |research |work |those |the ones |ones |literature |stuff )*';
const ABOUT =
  '(?:about|on|regarding|concerning|involving|related to|relating to|covering|focus(?:ed|ing) on|dealing with|based on|that (?:deals? with|(?:are|is) about|are on|use|cover|involve))';
/** Not what somebody says or knows. */
const NOTHING =
  '(?<!\\b(?:say|says|said|saying|tell|tells|told|telling|know|knows|knew|reveal|reveals|imply|implies) )nothing';
/** "Without" these leaves out the papers; without anything else, it tells of the subject. */
const METHOD =
  '(?:(?:machine|deep|reinforcement|statistical) learning|(?:[a-z]+ )?neural net(?:work)?s?|artificial intelligence|ai|(?:large )?language models?|llms?|transformers?|lstms?)\\b';
const PAUSE = '[,;.:!?(–—]';
/** What leads an exclusion. */
const MARKERS = [
  // "Not about crypto", "no papers on crypto".
  `(?:but |and |though |just )?(?:not|${NOTHING}|none|no ${PAPERS}) ${DOCUMENTS}${ABOUT}`,
  `(?:and |but )?(?:${NOTHING}|no ${PAPERS}) (?:using|with|from|that uses?)`,
  // "I don't want crypto".
  "(?:but |and )?(?:(?:i am |i['’]m |we are |we['’]re )?not interested in|(?:(?:i|we) )?(?:do not|don['’]t) (?:want|need|include|show(?: me)?|give me)|please avoid)",
  `(?:but )?(?:without|avoid) ${DOCUMENTS}${ABOUT}`,
  '(?:please |but |and )?(?:exclud(?:ing|e)|except(?:ing)?(?: for)?|other than|apart from|aside from|leav(?:ing|e) (?:out|aside)|not including|not counting|no mention of)',
  '(?<!\\b(?:is|are|was|were|be|been|being|seems?|looks?) )(?:any|every)thing (?:but|except|besides)(?: for)?',
  '(?<instead>rather than|instead of|as opposed to)',
  // "Momentum (not crypto)", "Not crypto."
  `(?<not>(?:but not|(?<=[,(;–—] ?|\\s- )not|^not(?=(?:\\s[\\p{L}\\p{N}-]+){1,3}[.!]?$))(?: (?:in|for|of|to|with|by|using))?)`,
  // "Hedging without deep learning", "models that do not use trees".
  `(?<way>(?:(?:(?:that|which) )?(?:do|does)(?: not|n['’]t) use|without|with no|not|never)(?: any| using| (?:the )?use of| relying on)*(?=\\s+${METHOD})|(?<=\\b(?:${PAPERS}|ones|those|methods?|models?|approach(?:es)?|techniques?|strategies) )(?:that|which) (?:do|does)(?: not|n['’]t) (?:use|employ|involve|require|need|rely on|mention|discuss|consider|deal with)(?: any)?)`,
  // As an order or an aside only: "models that ignore jumps".
  `(?<=^|${PAUSE} ?|\\b(?:please|and|but) )(?:please )?(?<order>ignore|skip|omit)`,
  `(?:(?<=^|${PAUSE} ?|\\bplease )(?:please |and |but )?|but )(?<bare>no)`,
];
const SUBJECT = '[^,.;:?!()–—\\n]{2,80}?';
/** The space after a comma is part of the item: were it optional, a long list would be read in ever more ways. */
const LIST = `${SUBJECT}(?:,[^,.;:?!()–—\\n]{2,41}?)*,? (?:and|or|nor) ${SUBJECT}`;
const END =
  '(?=\\s*(?:[,.;:?!()–—\\n]|$)|\\s+(?:- |please|thanks|but|which|because|while|when|where|since \\d|after \\d|before \\d)\\b)';
const EXCLUSION = new RegExp(
  `(?<=^|[\\s(,])\\(?(?:${MARKERS.join('|')})\\s+(?<subject>${LIST}|${SUBJECT})${END}\\s*\\)?`,
  'giu',
);

/** Words after a marker that only turn a sentence. */
const TURN =
  /^(?:to\b|i mean\b|out[- ]of|only|necessarily|always|all\b|too\b|yet\b|so\b|vice|the other|enough|just|least\b|even\b|that\b|how\b|why\b|whether|if\b|when\b|what\b|limited|restricted|sure|be\b|been\b|significant|statistic)/iu;
/** Measures that are named after what they leave out. */
const MEASURES =
  /^(?:the )?(?:food|energy|shelter|autos?|dividends?|outliers|weekends|holidays)\b/iu;
/** What a model or a result can do without. */
const CONDITIONS = new Set([...setOf(wordFile.conditions)].flatMap(tokenise));
/** Of a word that what follows has, too: "convex but not coherent risk measures". */
const CONTRAST = /^but not (?!(?:in|for|of|to|with|by|using)\b)/iu;
/** What an order is about that tells how to answer. */
const REPLY =
  /\b(?:previous|earlier|above|instructions?|typos?|spelling|grammar|format\w*|intro\w*|preambles?|explanations?|summar\w+|details?|questions?|messages?|steps?)\b/iu;
/** Words of its subject from which a question describes a paper; "rather than X" is then of the description. */
const DESCRIPTION = 12;
/** Most words of what follows a bare "no". */
const BARE_WORDS = 4;
const LEADING = new RegExp(`^(?:(?:the|an?|all|things) |${DOCUMENTS}(?:${ABOUT} )?)+`, 'iu');
const MAX_WORDS = 10;
/** What a method is used for, which is still asked for. */
const PURPOSE = /\s(?:for|in|to|on|by|when)\s.*$/iu;

type Groups = Record<string, string | undefined>;

/**
 * Takes the subjects that a question excludes out of it. Cards that are not prose have outcomes: in
 * "soft landing, no recession" nothing is excluded, unless it says "please".
 */
export function splitExclusion(question: string, isProse: boolean): WithExclusion {
  const subjects: string[] = [];
  let bareOnes = 0;
  const text = tidy(
    question.replace(EXCLUSION, (whole: string, ...found) => {
      // "Rather than", "but not", "ignore", "no" alone, "models that do not use" and the like.
      const { subject: said = '', instead, not, order, bare, way }: Groups = found.at(-1);
      const end = found.at(-3) + whole.length;
      const [purpose = ''] = ((way ?? instead) !== undefined && PURPOSE.exec(said)) || [];
      const plain = said
        .slice(0, said.length - purpose.length)
        .trim()
        .replace(/(?<=[,;] |\b(?:and|or|nor) )(?:and |or |nor )?(?:no|not) /giu, '')
        .replace(LEADING, '');
      const isCondition =
        /^debt$/iu.test(plain) || tokenise(plain).some((stem) => CONDITIONS.has(stem));
      if (TURN.test(plain) || MEASURES.test(plain) || !isSubject(plain)) return whole;
      if ((order ?? bare) !== undefined && REPLY.test(plain)) return whole;
      if (way !== undefined && isCondition) return whole;
      const before = question.slice(0, found.at(-3));
      if ((instead ?? not) !== undefined && subjectWords(question) >= DESCRIPTION) return whole;
      if (CONTRAST.test(whole) && subjectWords(before) < subjectWords(plain)) return whole;
      if (bare !== undefined) {
        const isAsked = /^please\b/iu.test(whole) || /^[\s,]*please\b/iu.test(question.slice(end));
        if (isCondition || (!isProse && !isAsked)) return whole;
        if (!isAsked && !isSubject(plain, BARE_WORDS)) return whole;
        if (!isAsked) bareOnes += 1;
      }
      subjects.push(plain);
      return ` ${purpose} `;
    }),
  );
  const isLeft = isSubject(text, Number.POSITIVE_INFINITY);
  // "Not crypto" about events asks for no other; of papers an author or a date may stand beside it. "No
  // volatility, no gain" excludes nothing.
  if (subjects.length === 0 || !(isLeft || (isProse && bareOnes < 2)))
    return { text: question, excluded: null };
  return { text: isLeft ? text : '', excluded: [...new Set(subjects)].join(', ') };
}

function isSubject(text: string, most = MAX_WORDS): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length <= most && words.some((word) => word === 'US' || !isStopWord(word));
}
