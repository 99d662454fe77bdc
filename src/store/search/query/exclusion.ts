import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopStem, isStopWord, tokenise } from '../lexical/tokenise.ts';
import { readAside } from './aside.ts';
import { tidy } from './tidy.ts';
import { setOf, subjectWords } from './words.ts';

/** A question and what it says it is not about. */
export interface WithExclusion {
  /** Without the exclusion. */
  text: string;
  /** The subjects excluded; null for none. */
  excluded: string | null;
}

const PAPERS = '(?:papers?|articles?|studies|works?|research|literature)';
const DOCUMENT =
  '(?:any(?:thing)? |every(?:thing)? |papers? |articles? |studies |research |work |those |the ones |ones |literature |stuff )';
const DOCUMENTS = `${DOCUMENT}*`;
const ABOUT =
  '(?:about|on|regarding|concerning|involving|related to|relating to|covering|focus(?:ed|ing) on|dealing with|based on|(?:that|which) (?:deals? with|(?:is|are) (?:about|on)|uses?|relies on|rely on|covers?|involves?))';
const USING = `(?:${ABOUT}|using|where)`;
/** Not what somebody says or knows. */
const NOTHING =
  '(?<!\\b(?:say|says|said|saying|tell|tells|told|telling|know|knows|knew|reveal|reveals|imply|implies) )nothing';
/** "Without" these leaves out papers; without anything else, it tells of the subject. */
const KIND = `(?:${[...setOf(wordFile.kinds)].join('|')})s?\\b`;
/** What may stand between a cue and its subject. */
const FILLER =
  '(?:any|those|the|ones|on|about|in|for|from|of|to|they|are|is|be|do|does|with|us(?:e|es|ed|ing)|involv(?:e|es|ing)|based|rely(?:ing)?|related|depend(?:ing)?|deal(?:ing)?|appl(?:y|ied)|cover(?:ing)?|consider(?:ing)?|mention|focus(?:ed|ing)?|have|having|need|require|include|contain)';
const PAUSE = '[,;.:!?()[\\]–—\\n]';
const START = `(?<=^|${PAUSE}\\s*|\\s[-–—] |\\b(?:please|and|but) )`;
const NOT = "(?:do|does|should|need)(?: not|n[’']t)";
const USE =
  '(?:use|employ|involve|require|need|rely on|depend on|mention|discuss|consider|contain|include|have|deal with)';
/** What leads an exclusion. */
const MARKERS = [
  // "Not about crypto", "no papers on crypto", "that has nothing to do with crypto".
  `(?:not|${NOTHING}|none|no ${PAPERS}) ${DOCUMENTS}${USING}`,
  `(?:${NOTHING}|no ${PAPERS}) (?:with|from)|none of(?: the)?`,
  `(?:that|which) (?:(?:is|are) (?:un|not )related to|(?:has|have) nothing to do with)|(?<=\\b${PAPERS} |${PAUSE} ?)(?:un|not )related to`,
  // "I don't want crypto".
  "(?:(?:i am |i[’']m |we are |we[’']re )?not (?:interested in|looking for|after)|(?:(?:i|we) )?(?:do not|don[’']t) (?:want|need|include|care (?:about|for)|bother with|show(?: me)?|give me|return|list|cite|mention|recommend|suggest)(?: to (?:see|read)(?: about)?)?|please avoid)",
  `(?:without|avoid) ${DOCUMENTS}${ABOUT}`,
  'exclud(?:ing|e):?|except(?:ing)?(?: for)?|with the exception of|other than|apart from|aside from|leav(?:ing|e) (?:out|aside)|(?:set|put)(?:ting)? aside|not (?:including|counting)|no mention of',
  '(?<!\\b(?:is|are|was|were|be|been|being|seems?|looks?) )(?:any|every)thing (?:but|except|besides)(?: for)?',
  '(?<instead>rather than|instead of)',
  // "Momentum (not crypto)", "Not crypto."
  '(?<not>as opposed to|(?:(?:but|and) not|(?<=[,(;–—] ?|\\s- )not|^not(?=(?:\\s[\\p{L}\\p{N}-]+){1,3}[.!]?$))(?: (?:in|for|of|to|with|by|using|on|under))?)',
  // "Models that do not use trees".
  `(?<way>(?<=\\b(?:${PAPERS}|ones|those|methods?|models?|approach(?:es)?|techniques?|strategies|problems?|algorithms?) )(?:that|which) ${NOT} ${USE}(?: any)?)`,
  // As an order or an aside only: "models that ignore jumps".
  `${START}(?<order>ignore|skip|omit)`,
  `${START}(?<prose>besides|neither(?=[^.;:!?\\n]* nor )|ignoring|skipping|omitting|drop(?:ping)?|filter(?:ing)? out|disregard(?:ing)?)`,
  `(?:${START}|but )(?<bare>no)`,
  // "Hedging without deep learning", "forecasts beyond crypto".
  `(?<kind>(?:(?:that|which|where|unless|but|if) (?:(?:it|they|is|are|do|does|can|should|must) )*)?(?:(?<!\\bbut )not|\\w+n[’']t|never|(?:with|where|in which|us(?:es?|ing)) no|nothing|without|w\\/o|sans|lacking|absent|avoid(?:s|ing)?|free|minus|less|unless|save|excl|outside(?: of|(?= the))|(?:un|not )related|as (?:against|distinct)|(?<!\\b(?:go|goes|going|gone|look|looking|extend\\w*|mov\\w+) |^)beyond)[.]?(?: ${FILLER})*(?=\\s(?:[\\w-]+ ){0,4}?${KIND}))`,
];
const SUBJECT = '[^,.;:?!()[\\]–—\\n]{2,80}?';
/** The space after a comma is part of the item: were it optional, a long list would be read in ever more ways. */
const LIST = `${SUBJECT}(?:,[^,.;:?!()[\\]–—\\n]{2,41}?)*,? (?:and|or|nor) ${SUBJECT}`;
const END = `(?=\\s*(?:${PAUSE}|$)|\\s+(?:- |please|thanks|but|which|because|while|when|since \\d|after \\d|before \\d)\\b)`;
const LINK = '(?:(?:please|but|and|though|just|or|with) )*';
const EXCLUSION = new RegExp(
  [
    `(?<=^|[\\s(,])${LINK}(?:${MARKERS.join('|')})\\s+(?<subject>${LIST}|${SUBJECT})${END}`,
    `\\b(?:non|ex)[- ](?<non>${KIND})`,
  ].join('|'),
  'giu',
);

/** Words after a marker that only turn a sentence. */
const TURN =
  /^(?:to\b|i mean\b|out[- ]of|only|necessarily|always|all\b|too\b|yet\b|so\b|vice|the other|enough|just|least\b|even\b|that\b|how\b|why\b|whether|if\b|when\b|what\b|limited|restricted|sure|be\b|been\b|significant|statistic)|\b(?:it|them|this|others?)$/iu;
/** Measures that are named after what they leave out. */
const MEASURES =
  /^exclud\w+ (?:the )?(?:food|energy|shelter|autos?|dividends?|outliers|weekends|holidays)\b/iu;
/** What a model or a result can do without. */
const CONDITIONS = new Set([...setOf(wordFile.conditions)].flatMap(tokenise));
/** Of a word that what follows has, too: "convex but not coherent risk measures". */
const CONTRAST = /^(?:but|and) not (?!(?:in|for|of|to|with|by|using)\b)/iu;
/** What an order is about that tells how to answer. */
const REPLY =
  /\b(?:previous|earlier|above|instructions?|typos?|spelling|grammar|format\w*|intro\w*|preambles?|explanations?|summar\w+|details?|questions?|messages?|steps?)\b/iu;
/** Words of its subject from which a question describes a paper; "rather than X" is then of the description. */
const DESCRIPTION = 12;
/** Most words of what follows a bare "no". */
const BARE_WORDS = 4;
const LEADING = new RegExp(
  `^(?:(?:the|an?|all|things|other|with|under|using|for|in|on|applied to|need for|interest in) |${DOCUMENT}(?:(?:that|which) \\w+ )?|${USING} )+`,
  'iu',
);
/** Words after a subject that add nothing to it. */
const TRAILING =
  /(?:[- ](?:based|related))?(?: (?:papers?|articles?|studies|work|literature|stuff|ones|data|methods?|approach(?:es)?|techniques|is|are|used|involved|applied|already|too|at all|though|kind|component|from (?:the |your |my )?(?:results?|list|answers?|search)|(?:is|are) the (?:main|only) (?:topic|focus|subject|method)))*$/iu;
/** What may be said aside. */
const CLAUSE =
  /[^,;.:!?()[\]–—\n]+?(?= (?:but|and please) | with (?=[\w -]+ (?:excluded|left out|omitted|removed)\b)| - | -- |[,;.:!?()[\]–—\n]|$)/gu;
const IS_KIND = new RegExp(`\\b${KIND}`, 'iu');
const KINDS = new RegExp(IS_KIND, 'giu');
const MAX_WORDS = 10;
/** What a method is used for, which is still asked for. */
const PURPOSE = /\s(?:for|in|to|on|by|when|with)\s.*$/iu;

type Groups = Record<string, string | undefined>;

/**
 * Takes the subjects that a question excludes out of it. Cards that are not prose have outcomes: in
 * "soft landing, no recession" nothing is excluded, unless it says "please".
 */
export function splitExclusion(question: string, isProse: boolean): WithExclusion {
  const subjects: string[] = [];
  let bareOnes = 0;
  let isLoose = false;
  let isContrast = false;
  const isLong = subjectWords(question) >= DESCRIPTION;
  const marked = question.replace(EXCLUSION, (whole: string, ...found) => {
    // "Rather than", "but not", "ignore", "no" alone, "models that do not use" and the like.
    const groups: Groups = found.at(-1);
    const { instead, not, order, prose, bare, way, kind, non } = groups;
    const said = non ?? groups.subject ?? '';
    const end = found.at(-3) + whole.length;
    const [purpose = ''] = ((way ?? kind ?? instead) !== undefined && PURPOSE.exec(said)) || [];
    const plain = said
      .slice(0, said.length - purpose.length)
      .trim()
      .replace(/(?<=[,;] |\b(?:and|or|nor) )(?:and |or |nor )?(?:no|not) /giu, '')
      .replace(LEADING, '')
      .replace(TRAILING, '');
    const isCondition = isOfCondition(plain);
    if (TURN.test(plain) || MEASURES.test(whole) || !isSubject(plain)) return whole;
    if (!isProse && (prose ?? kind ?? non) !== undefined) return whole;
    if ((order ?? prose ?? bare) !== undefined && REPLY.test(plain)) return whole;
    if ((way ?? kind ?? order ?? prose) !== undefined && isCondition) return whole;
    if (kind !== undefined && !IS_KIND.test(plain)) return whole;
    const before = question.slice(0, found.at(-3));
    if ((instead ?? not) !== undefined && isLong) return whole;
    if (CONTRAST.test(whole) && subjectWords(before) < subjectWords(plain)) return whole;
    if (bare !== undefined) {
      const isAsked = /^please\b/iu.test(whole) || /^[\s,]*please\b/iu.test(question.slice(end));
      if (isCondition || (!isProse && !isAsked)) return whole;
      if (!isAsked && !isSubject(plain, BARE_WORDS)) return whole;
      if (!isAsked) bareOnes += 1;
    }
    isLoose ||= (order ?? prose ?? kind) !== undefined;
    // Who contrasts one thing with another finds papers that do, too.
    if (instead === undefined || !isProse || IS_KIND.test(plain)) subjects.push(plain);
    else isContrast = true;
    return ` ${purpose} `;
  });
  const text = tidy(
    marked.replace(CLAUSE, (clause: string, at: number) => {
      const subject = isProse ? readAside(clause) : null;
      if (subject === null || isOfCondition(subject)) return clause;
      if (TURN.test(subject) || REPLY.test(clause)) return clause;
      // A description tells of what is not, too.
      if (isLong && /,\s*$/u.test(marked.slice(0, at))) return clause;
      isLoose = true;
      subjects.push(subject);
      return ' ';
    }),
  );
  const isLeft = isSubject(text, Number.POSITIVE_INFINITY);
  // "Not crypto" about events asks for no other; of papers an author or a date may stand beside it. "No
  // volatility, no gain" excludes nothing.
  const isCut = isLeft || (isProse && bareOnes < 2 && !isLoose && !isContrast);
  if (!isCut) return { text: question, excluded: null };
  const excluded = subjects.length === 0 ? null : [...new Set(subjects)].join(', ');
  return { text: subjects.length === 0 && !isContrast ? question : isLeft ? text : '', excluded };
}

/** Whether a model or a result can do without it: "no transaction costs", but not "no insurance". */
function isOfCondition(subject: string): boolean {
  const stems = tokenise(subject.replace(KINDS, ' ')).filter((stem) => !isStopStem(stem));
  return /^debt$/iu.test(subject) || stems.some((stem) => CONDITIONS.has(stem));
}

function isSubject(text: string, most = MAX_WORDS): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length <= most && words.some((word) => word === 'US' || !isStopWord(word));
}
