import patternFile from '../../../../data/question-patterns.json' with { type: 'json' };
import { isStopWord } from '../lexical/tokenise.ts';
import { spell } from './patterns.ts';

const { frames } = patternFile;

/*
 * People and agents wrap a question in courtesies, and say who they are and what the answer is for.
 * Only the part that asks is ranked. A text in which nothing of this is recognised stays as it is.
 */

/** Beginnings of questions about papers. */
const HEAD = headOf(frames.heads);
/** The same for events; in a paper's title some can be of the subject: "odds of ruin". */
const EVENT_HEAD = headOf([...frames.eventHeads, ...frames.heads]);
/** Beginnings that are taken off, one after the other. */
const MAX_HEADS = 30;
/** The end of keywords for an event. */
const EVENT_TAIL =
  /(?<=\S) (?:odds|chances|probabilit(?:y|ies)|likelihood)(?=(?: 20\d\d)?[.?!]?$)/iu;

/**
 * For text in lower case: patterns of thousands of characters that ignore case or read Unicode take V8 a
 * tenth of a second to compile, a third of which they take without.
 */
function headOf(patterns: readonly string[]): RegExp {
  return new RegExp(`^(?:${spell(patterns.join('|'), frames.parts)})[\\s,:]+`);
}

/** In lower case, each letter at its place. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Where the asking begins in a sentence that first says who asks. */
const MIDDLE =
  /(?:[,;:—–-]|\b(?:so|and|but|therefore|hence))\s+(?:so |and |but |therefore |hence |then )?(?=(?:(?:could|can|would|will) (?:you|u)|would (?:be|like|love|appreciate)|please|kindly|(?:i|we)(?:['’]d| would) (?:like|love|be|appreciate)|(?:i|we) (?:need|want)|find me|find (?:papers|articles|studies)|show me|do you (?:know|have))\b)|\b(?:thing|following|questions?(?: [\w-]+){0,3}|this|asked|asks|topics?|know|problem|issue|subject|task|which is|about)\s*:\s+/giu;

/** An abstract has colons in sentences that begin as those about the asker do; an event has none. */
const EVENT_MIDDLE = new RegExp(`${MIDDLE.source}|:\\s+`, MIDDLE.flags);

/** Where a sentence begins to ask that says who wants to know. */
const REPORTED =
  /\b(?:asks?|asked|asking|wonders?|wondered|wondering|know|see|tell|check|find out|hear)\b(?: (?!whether|if\b|how|which|why|what)[\w-]+){0,4} (?=(?:whether|if|how|which|why|what)\b)/giu;

/** Sentences about who asks, what for, and how to answer. */
const BACKGROUND = new RegExp(`^(?:${spell(frames.background.join('|'), frames.parts)})`);

const TAILS = frames.tails.map((tail) => new RegExp(tail, 'iu'));

const LABELLED =
  /(?:^|[\s{,<*#])["*<]*(?:query|question|search(?: query)?|topic|request|research question|search terms?)["*>]*\s*[:=>]\s*["*]*\s*(?<asked>[^\n"<]{8,})/iu;
/** Where nothing else is labelled. */
const TASK = /(?:^|\s)task:\s+(?<asked>[^\n"<]{8,})/iu;
const QUOTED = /["“«](?<asked>[^"“”«»]{20,})["”»]/u;
const SENTENCE_END =
  /(?<=[.?!]["”')]?)\s+(?=["“'(]?[\p{Lu}\p{N}]|i\b|please|thank|could|can you)|(?<=[.?!])\s+[-–—]+\s+|\n+/u;
const WORD = /[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu;
/** Words of the frame, which say nothing of the subject. */
const FRAME = new Set(frames.words.flatMap((line) => line.split(' ')));
const CUE =
  /\b(?:please|thanks?|help(?:s|ed|ing)?|assist(?:s|ing|ant)?|research(?:er|ing)|student|professor|supervisor|thesis|dissertation|literature|client|boss|manager|colleague|user|deadline|meeting|curious|wonder(?:s|ing)|interested|looking for|asked|papers|articles)\b/iu;
/** Words of the subject that the asking sentences need to stand for themselves; a question, fewer. */
const ENOUGH = 4;
const ENOUGH_OF_QUESTION = 3;
/** What somebody says of himself. */
const SELF = /^(?:(?:i|my)\b|as an? )/iu;
const GREETED = headOf(['{greeting}']);
/** What stands for a word that was said before. */
const PRONOUN = /\b(?:it|its|they|them|their|these|those)\b/iu;
/** What begins with such a word says nothing without those before. */
const OPEN = /^(?:(?:will|would|does|do|is|are|can|could) )?(?:it|its|they|them|their)\b/iu;

/** What a question about an event takes as given: "with inflation at 3%, will the Fed cut rates?" */
const CLAUSE = String.raw`(?:[^.,;:?!\n]|[.,](?=\d)|(?<=\b\p{L})\.){3,150}`;
const GIVEN = new RegExp(
  String.raw`^(?:with|given|now that|considering|while|whereas|since|despite|although|even though) ${CLAUSE}, (?:and |so |then )?(?=(?:will|would|how|what|who|which|when|where|is|are|does|do|can|could|should)\b)`,
  'iu',
);
const GIVEN_LAST = new RegExp(
  String.raw`(?<=\S),? (?:given(?! to\b)|now that|considering) ${CLAUSE}(?=[.?!]?$)`,
  'iu',
);

/**
 * The part of a question that asks; the text itself if it is not wrapped in anything. `isProse` where
 * papers are asked for, not events.
 */
export function gistOf(asked: string, isProse: boolean): string {
  const gist = unframe(asked, isProse);
  if (isProse) return gist;
  const question = gist.replace(GIVEN, '').replace(GIVEN_LAST, '');
  return standsAlone(question) ? question : gist;
}

function unframe(asked: string, isProse: boolean): string {
  const text = isProse ? asked : asked.replace(EVENT_TAIL, '');
  const head = isProse ? HEAD : EVENT_HEAD;
  const labelled = (LABELLED.exec(text) ?? TASK.exec(text))?.groups?.asked;
  if (labelled !== undefined && subjectWords(labelled) > 1) {
    const kept = labelled.split(SENTENCE_END).filter((sentence) => !isBackground(sentence));
    return unwrap((kept.join(' ') || labelled).trim(), head).text;
  }
  const sentences = text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const read = sentences.map((sentence) => readSentence(sentence.trim(), head));
  // A question beside what its asker says of himself.
  const isTold =
    read.some(({ kind, text: said }) => kind === 'background' && SELF.test(said)) &&
    read.some(
      ({ kind, text: said }) => kind === 'plain' && said.endsWith('?') && standsAlone(said),
    );
  if (!isTold && !read.some(isFrame)) return text;
  const quoted = QUOTED.exec(text)?.groups?.asked;
  if (quoted !== undefined && subjectWords(quoted) >= ENOUGH) return quoted.trim();
  const asking = read.filter(({ kind }) => kind !== 'background');
  const direct = asking.filter(({ isPersonal }) => !isPersonal);
  const questions = direct.filter((one) => one.text.endsWith('?'));
  const kept =
    [direct, asking].find((some) => subjectOf(some) >= ENOUGH) ??
    (subjectOf(questions) >= ENOUGH_OF_QUESTION ? direct : read);
  const gist = kept
    .map((one) => one.text)
    .filter((sentence) => subjectWords(sentence) > 0)
    .join(' ');
  return subjectWords(gist) > 0 && !OPEN.test(gist) ? gist : text;
}

/** An abstract, too, may say "we": who asks or what for must be recognised besides. */
function isFrame({ kind, text }: Sentence): boolean {
  return (
    kind === 'asking' || (kind === 'background' && (CUE.test(text) || subjectWords(text) === 0))
  );
}

interface Sentence {
  /** Without its frame. */
  text: string;
  kind: 'asking' | 'background' | 'plain';
  /** Asks by saying what somebody wants. */
  isPersonal: boolean;
}

function readSentence(sentence: string, head: RegExp): Sentence {
  const middle = askingIn(sentence, head);
  const isIntroduced = middle !== undefined && isBackground(sentence);
  const asked = isIntroduced ? sentence.slice(middle.index + middle[0].length) : sentence;
  if (!isIntroduced && subjectWords(sentence) === 0) {
    return { text: sentence, kind: 'background', isPersonal: false };
  }
  const { text, isWrapped } = unwrap(asked, head);
  if (isWrapped || isIntroduced) {
    const kind = subjectWords(text) > 0 ? 'asking' : 'background';
    const told = sentence.slice(GREETED.exec(lowered(sentence))?.[0].length ?? 0);
    return { text, kind, isPersonal: !isIntroduced && isBackground(told) };
  }
  const kind = isBackground(sentence) ? 'background' : 'plain';
  return { text: sentence, kind, isPersonal: false };
}

/** Where a sentence begins to ask, unless what follows needs the words before. */
function askingIn(sentence: string, head: RegExp): RegExpExecArray | undefined {
  const rest = ({ index, 0: lead }: RegExpExecArray) => sentence.slice(index + lead.length);
  const middle = [...sentence.matchAll(head === HEAD ? MIDDLE : EVENT_MIDDLE)].at(-1);
  if (middle !== undefined && standsAlone(rest(middle))) return middle;
  // Abstracts say "we" or "I" themselves.
  const [reported] = /^(?:i|we)\b/iu.test(sentence) ? [] : sentence.matchAll(REPORTED);
  if (reported !== undefined && standsAlone(rest(reported))) {
    if (!unwrap(sentence, head).isWrapped) return reported;
  }
  if (middle === undefined || !PRONOUN.test(rest(middle))) return middle;
  const words = subjectWords(rest(middle));
  return words === 0 || words >= ENOUGH ? middle : undefined;
}

/** Whether a text says enough to be asked without those before it. */
function standsAlone(text: string): boolean {
  return !PRONOUN.test(text) && subjectWords(text) >= ENOUGH_OF_QUESTION;
}

/** A sentence without the beginning that asks, and the end that says what for. */
function unwrap(sentence: string, head: RegExp): { text: string; isWrapped: boolean } {
  let text = sentence;
  for (let left = MAX_HEADS; left > 0; left -= 1) {
    const [found = ''] = head.exec(lowered(text)) ?? [];
    if (found === '' || subjectWords(text.slice(found.length)) === 0) break;
    text = text.slice(found.length);
  }
  if (text === sentence) return { text, isWrapped: false };
  for (const tail of TAILS) {
    const cut = text.replace(tail, '');
    if (subjectWords(cut) > 1) text = cut;
  }
  return { text, isWrapped: true };
}

function isBackground(sentence: string): boolean {
  return BACKGROUND.test(lowered(sentence));
}

function subjectOf(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, { text }) => sum + subjectWords(text), 0);
}

/** Number of words that say something of the subject. */
export function subjectWords(text: string): number {
  const words = text.match(WORD) ?? [];
  return words.filter((word) => !isStopWord(word) && !FRAME.has(word.toLowerCase())).length;
}
