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
];
const SUBJECT = '[^,.;?!()\\n]{2,80}?';
/** The space after a comma is part of the item: were it optional, a long list would be read in ever more ways. */
const LIST = `${SUBJECT}(?:,[^,.;?!()\\n]{2,41}?)*,? (?:and|or|nor) ${SUBJECT}`;
const END =
  '(?=\\s*(?:[,.;?!()\\n]|$)|\\s+(?:please|thanks|but|which|because|while|when|where|since \\d|after \\d|before \\d)\\b)';
const EXCLUSION = new RegExp(
  `(?<=^|[\\s(,])\\(?(?:${MARKERS.join('|')})\\s+(?<subject>${LIST}|${SUBJECT})${END}\\s*\\)?`,
  'giu',
);

/** Words after a marker that only turn a sentence. */
const TURN =
  /^(?:out[- ]of|only|necessarily|always|all\b|too\b|yet\b|so\b|vice|the other|enough|just|that\b|how\b|why\b|whether|if\b|when\b|what\b|limited|restricted|sure|be\b|been\b|significant|statistic)/iu;
/** Measures that are named after what they leave out. */
const MEASURES =
  /^(?:the )?(?:food|energy|shelter|autos?|dividends?|outliers|weekends|holidays)\b/iu;
const LEADING =
  /^(?:(?:the|any|an?|all|anything|things|papers|articles|studies|those|about|on) )+/iu;
const MAX_WORDS = 10;

/** Takes the subjects that a question excludes out of it. */
export function splitExclusion(question: string): WithExclusion {
  const subjects: string[] = [];
  const text = question
    .replace(EXCLUSION, (whole: string, subject: string) => {
      const plain = subject.trim().replace(LEADING, '');
      if (TURN.test(plain) || MEASURES.test(plain) || !isSubject(plain)) return whole;
      subjects.push(plain);
      return ' ';
    })
    .replace(/\s+/g, ' ')
    .replace(/\s*,?\s*(?=[.?!]?$)/, '')
    .trim();
  if (subjects.length === 0 || !isSubject(text, Number.POSITIVE_INFINITY)) {
    return { text: question, excluded: null };
  }
  return { text, excluded: subjects.join(', ') };
}

function isSubject(text: string, most = MAX_WORDS): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length <= most && words.some((word) => !isStopWord(word));
}
