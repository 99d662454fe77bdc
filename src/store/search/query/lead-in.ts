import wordFile from '../../../../data/question-words.json' with { type: 'json' };
import { isStopWord } from '../lexical/tokenise.ts';
import { setOf, subjectWords, wordsIn } from './words.ts';

const { asking, events, nothing } = wordFile;

/** The words of lead-ins to papers or events. */
interface Words {
  documents: ReadonlySet<string>;
  /** What a subject follows after a document. */
  links: ReadonlySet<string>;
  /** All. */
  all: ReadonlySet<string>;
}

const EVERY = [...Object.values(asking), nothing];
const PAPERS: Words = {
  documents: setOf(asking.documents),
  links: setOf(asking.links),
  all: setOf(...EVERY),
};
/** In a paper's title some can be of the subject: "odds of ruin". */
const EVENTS: Words = {
  documents: setOf(asking.documents, events.documents),
  links: setOf(asking.links, events.links),
  all: setOf(...EVERY, ...Object.values(events)),
};
const CUES = setOf(asking.cues);
/** They ask where they stand first; after a cue the subject may follow: "could you find bubbles". */
const VERBS = setOf(asking.verbs);
/** What a subject follows after a cue only: "looking for", but "the search for yield". */
const PREPOSITIONS = setOf(asking.prepositions);
/** What more of the lead-in may follow: "papers that deal with", "glad to know whether". */
const CONNECTIVES = setOf('if that to up whether');
/** Stop words with which a subject begins: "how dealers set quotes". */
const QUESTION = setOf('how nor not when where who whom why');
const EVENT = setOf(events.documents);
/** What asks for nothing: "in this paper we study", "I work at a bank", "do I need a hedge", "searching for yield". */
const PLAIN =
  /^(?:(?:in )?(?:this|our) (?:article|paper|research|review|study|work)\b|(?:i|we) (?:work|read|research|study)\b|do (?:i|we)(?: \w+ly)? need\b|(?:the )?(?:looking|need|search|searching) for [\p{L}\p{N}-]+[.?!]*$)/iu;

interface Word {
  /** In lower case, without what follows an apostrophe: "I'd" is "i". */
  word: string;
  /** Where it ends in the text. */
  end: number;
}

/**
 * The length of the words at the beginning of a sentence that ask without saying what for, such as "could
 * you please find recent papers about"; 0 if it has none, or says nothing else. `isProse` where papers are
 * asked for, not events.
 */
export function leadInOf(sentence: string, isProse: boolean): number {
  if (PLAIN.test(sentence)) return 0;
  const lists = isProse ? PAPERS : EVENTS;
  const run = runOf(sentence, lists);
  const isOrder = VERBS.has(run[0]?.word ?? '');
  let [isAsked, isOfDocuments, length] = [false, false, 0];
  for (const [at, { word, end }] of run.entries()) {
    const after = run[at + 1]?.word ?? '';
    const isColon = /^\s?:/u.test(sentence.slice(end, end + 2));
    const [isLink, isPreposition] = [lists.links.has(word), PREPOSITIONS.has(word)];
    const isLastDocument = lists.documents.has(word) && after === '';
    isAsked ||= CUES.has(word);
    isOfDocuments ||= lists.documents.has(word);
    const isEnd =
      (isLink && isOfDocuments) ||
      (isOrder && at > 0 && (isLink || isPreposition)) ||
      (isAsked &&
        (isLink || isPreposition || isColon || isLastDocument || (at > 0 && VERBS.has(word))));
    if (!isEnd) continue;
    length = end;
    // After "papers on", a preposition is of the subject: "trouble at banks".
    const isLed = isColon || ((isLink || isPreposition) && !CONNECTIVES.has(word));
    if (isLed && !lists.links.has(after) && !CONNECTIVES.has(after)) {
      [isAsked, isOfDocuments] = [false, false];
    }
  }
  const rest = sentence.slice(length);
  if (length === 0 || subjectWords(rest) === 0) return 0;
  const [space = ''] = /^(?:[\s,.:]+the following)?[\s,.:]+/iu.exec(rest) ?? [];
  return length + space.length;
}

/** The words before the first that is of a subject. */
function runOf(sentence: string, { all }: Words): Word[] {
  const run: Word[] = [];
  for (const { 0: written, index } of wordsIn(sentence)) {
    const word = written.toLowerCase().replace(/['’].*/u, '');
    const isOfRun = all.has(word) || isStopWord(word) || /^\d+$|ly$/u.test(word);
    // "From 5 to 10 years" is of a subject, and so are the country and "event studies".
    const isRange = /^\d+ (?:to|and|or) \d/iu.test(sentence.slice(index));
    const isCompound = PAPERS.documents.has(word) && EVENT.has(run.at(-1)?.word ?? '');
    if (!isOfRun || isRange || isCompound || QUESTION.has(word) || written === 'US') break;
    run.push({ word, end: index + written.length });
  }
  return run;
}
