import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopWord } from '../lexical/tokenise.ts';
import { setOf, subjectWords, wordsIn } from './words.ts';

const { asking, events, nothing } = wordFile;

/** The words of lead-ins, by what they do there. */
interface Words {
  /** Those that show that somebody asks. */
  cues: ReadonlySet<string>;
  documents: ReadonlySet<string>;
  /** What a subject follows after a document or a cue. */
  links: ReadonlySet<string>;
  /** All. */
  all: ReadonlySet<string>;
}

const CUES = setOf(asking.cues);
/** They ask where they stand first. */
const IMPERATIVES = setOf(asking.imperatives);
/** What a subject follows after a cue only: "looking for", but "the search for yield". */
const PREPOSITIONS = setOf(asking.prepositions);
/** What a subject follows after a cue without more words: "could you find momentum crashes". */
const VERBS = setOf(asking.verbs, 'me');
const EVERY = [...Object.values(asking), nothing];
const PAPERS: Words = {
  cues: CUES,
  documents: setOf(asking.documents),
  links: setOf(asking.links),
  all: setOf(...EVERY),
};
/** In a paper's title some can be of the subject: "odds of ruin". */
const EVENTS: Words = {
  cues: CUES,
  documents: setOf(asking.documents, events.documents),
  links: setOf(asking.links, events.links),
  all: setOf(...EVERY, ...Object.values(events)),
};
/** What a verb may follow. */
const GOES_ON = /^(?:if|that|to|up|whether)$/u;
const EVENT = setOf(events.documents);
/** Stop words with which a subject begins: "how dealers set quotes". */
const QUESTION = setOf('how nor not when where who whom why');
/**
 * The length of the words at the beginning of a sentence that ask without saying what for, such as "could
 * you please find recent papers about"; 0 if it has none, or says nothing else. `isProse` where papers are
 * asked for, not events.
 */
export function leadInOf(sentence: string, isProse: boolean): number {
  const lists = isProse ? PAPERS : EVENTS;
  const run: { word: string; end: number }[] = [];
  let next = '';
  for (const { 0: written, index } of wordsIn(sentence)) {
    next = written.toLowerCase().replace('’', "'");
    // "Event studies" are a subject.
    const isCompound = PAPERS.documents.has(next) && EVENT.has(run.at(-1)?.word ?? '');
    if (isCompound || written === 'US' || !isOfLeadIn(next, lists)) break;
    run.push({ word: next, end: index + written.length });
    next = '';
  }
  const isOrder = IMPERATIVES.has(run[0]?.word ?? '');
  let [isAsked, isOfDocuments, length] = [false, false, 0];
  for (const [at, { word, end }] of run.entries()) {
    isAsked ||= lists.cues.has(plainOf(word));
    isOfDocuments ||= lists.documents.has(word);
    const after = run[at + 1]?.word ?? '';
    const isColon = /^\s?:/.test(sentence.slice(end, end + 2));
    const isEnd =
      (lists.links.has(word) && (isAsked || isOfDocuments || (isOrder && at > 0))) ||
      (PREPOSITIONS.has(word) && (isAsked || isOrder)) ||
      (isAsked && (VERBS.has(word) || (lists.documents.has(word) && after === ''))) ||
      (isAsked && isColon);
    if (!isEnd) continue;
    length = end;
    // After "papers on", a preposition is of the subject: "trouble at banks".
    const isSubjectNext = isColon || ((lists.links.has(word) || PREPOSITIONS.has(word)) && !GOES_ON.test(word));
    if (isSubjectNext && !lists.links.has(after) && !GOES_ON.test(after)) [isAsked, isOfDocuments] = [false, false];
  }
  const [space = ''] = /^(?:[\s,.:]+the following)?[\s,.:]+/iu.exec(sentence.slice(length)) ?? [];
  return length > 0 && subjectWords(sentence.slice(length)) > 0 ? length + space.length : 0;
}

function isOfLeadIn(word: string, { all }: Words): boolean {
  const plain = plainOf(word);
  if (QUESTION.has(plain)) return false;
  return all.has(plain) || isStopWord(plain) || /^\d+$|ly$/.test(word);
}

/** "I'd" is "I". */
function plainOf(word: string): string {
  return word.replace(/'.*/, '');
}
