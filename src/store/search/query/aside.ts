import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopWord } from '../lexical/tokenise.ts';
import { setOf, wordsIn } from './words.ts';

const { asides } = wordFile;

/** Cues that a subject follows: "not", "skip". */
const BEFORE = setOf(asides.before);
/** Cues that follow a subject: "excluded". */
const AFTER = setOf(asides.after);
/** Words that may stand beside them and say nothing of what it is. */
const FILLERS = setOf(asides.fillers);
const JOINTS = setOf('and or nor');
/** With these a clause tells of a subject: "they do not interact". */
const TELLING = setOf(
  'he how if it she that there these they this what when where whether which who why',
);
const SCOPE = /\b(?:out of|outside(?: of)?|beyond|not in)(?: \w+)? scope\b/iu;
const MAX_WORDS = 6;

/**
 * The subject of a clause that says nothing but that it is not wanted, in whatever words: "crypto is out
 * of scope", "I have seen enough crypto". Null for any other clause.
 */
export function readAside(clause: string): string | null {
  const words = [...wordsIn(clause.replace(SCOPE, 'excluded'))].map(({ 0: word }) =>
    word.toLowerCase().replace('’', "'"),
  );
  const isOfSubject = words.map((word) => !isCue(word) && !isFiller(word));
  const first = isOfSubject.indexOf(true);
  const last = isOfSubject.lastIndexOf(true);
  const subject = words.slice(first, last + 1);
  const isWhole = subject.every((word, at) => isOfSubject[first + at] || JOINTS.has(word));
  if (first === -1 || !isWhole || subject.length > MAX_WORDS) return null;
  const rest = words.slice(last + 1);
  const isDenied = rest.some(isNegation) && rest.some((word) => FILLERS.has(word));
  const lead = words.slice(0, first);
  const isLed = lead.some((word) => BEFORE.has(word) || isNegation(word));
  const isAfter = isDenied || rest.some((word) => AFTER.has(word));
  if (isLed ? lead.some((word) => TELLING.has(word)) : !isAfter) return null;
  const places = [...wordsIn(clause)];
  const end = places[last];
  return clause.slice(places[first]?.index, end && end.index + end[0].length);
}

function isCue(word: string): boolean {
  return BEFORE.has(word) || AFTER.has(word) || isNegation(word);
}

function isNegation(word: string): boolean {
  return word === 'not' || word === 'no' || word.endsWith("n't");
}

function isFiller(word: string): boolean {
  return FILLERS.has(word) || isStopWord(word.replace(/'.*/, ''));
}
