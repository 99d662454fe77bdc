import { leadInOf } from './lead-in.ts';
import { subjectWords } from './words.ts';

/*
 * People and agents wrap a question in courtesies, and say who they are and what the answer is for.
 * Only the part that asks is ranked. A text in which nothing of this is recognised stays as it is.
 */

/** The beginning of a question about an event. */
const LIKELY = /^how (?:likely|probable) is it (?:that|for) /iu;
/** Keywords for an event may end in one of these: "default of Argentina odds". */
const EVENT_TAIL =
  /(?<=\S) (?:odds|chances|probabilit(?:y|ies)|likelihood)(?=(?: 20\d\d)?[.?!]?$)/iu;

/** "Dear assistant,", "Quick one before my call:" */
const GREETING =
  /^(?:(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day))\b[^,.!:]{0,30}[,.!:]\s*)?(?:(?:a )?quick (?:one|question|check|ask|note)\b[^:?.!]{0,30}:\s*)?/iu;

/** "I am a student, so |could you find …", "… one thing: |…" */
const MIDDLE =
  /(?:[,;:—–-]|\b(?:so|and|but|therefore|hence))\s+(?:(?:so|and|but|therefore|hence|then) )?(?=(?:(?:could|can|would|will) (?:you|u)|please|kindly|(?:(?:i|we)(?:['’]d| would)|would)(?: \w+ly)? (?:like|love|be|appreciate|need)|(?:i|we) (?:need|want)|find (?:me|papers|articles|studies)|show me|do you (?:know|have))\b)|^for [^:?.!]{2,60}? (?=(?:i|we)(?:['’]d| would)? (?:like|need|want)\b)|\b(?:thing|following|questions?(?: [\w-]+){0,3}|this|asked|asks|topics?|know|problem|issue|subject|task|which is|about)\s*:\s+/giu;
/** An abstract has colons in sentences that begin as those about the asker do; an event has none. */
const EVENT_MIDDLE = new RegExp(`${MIDDLE.source}|:\\s+`, MIDDLE.flags);
/** "A reader asked me on Friday |whether …" */
const REPORTED =
  /\b(?:asks?|asked|asking|wonders?|wondered|wondering|know|see|tell|check|find out|hear)\b(?: (?!whether|if\b|how|which|why|what)[\w-]+){0,4} (?=(?:whether|if|how|which|why|what)\b)/giu;

const PERSON =
  'user|client|team|researcher|colleague|boss|manager|supervisor|professor|advis[eo]r|student|analyst|friend|customer|desk|group|reader|quant|trader';
/** Sentences about who asks, what for, and how to answer. */
const BACKGROUND = new RegExp(
  `^(?:${[
    // "We trade power.", "A colleague is curious."
    `(?:i|we|they|he|she|somebody|someone|my|our|your|(?:the|an?|this|another) (?:[\\w-]+ ){0,2}?(?:${PERSON}))\\b`,
    // "As part of a project, …", "For a podcast: …"
    "(?:before|when|while) (?:i|we) |as (?:an?|part of|the|some) |(?:just )?for [^:?.!]{2,60}?(?::|,? (?:i|we)(?:[’']d| would)? (?:like|need|want)\\b)",
    // "It's for a client."
    "(?:this|it)(?:[’']s| is| was| will| would) |need (?:this|it) |you are ",
    // "Thanks a lot for your help!", "Kind regards, Anna"
    '(?:hi|hello|hey|dear|thanks?|many thanks|cheers|sorry|(?:(?:kind|best|warm) )?regards|appreciate|morning|best,)(?=\\W|$)',
    // "Step 3: …", "Context: …"
    '(?:(?:step|task|part|item|question) \\d[^:]{0,9}|(?:agent|user|internal)(?: \\w+)?|context|background|role|instructions?|notes?|output|format|constraints?|audience|persona|tone|purpose|goal)\\s*:',
    // "If you have time"
    "if (?:you|it)|no need|do(?:n['’]t| not) (?:worry|hesitate)",
    // "Answer with ids only.", "Please be brief."
    '(?:please )?(?:answer|format|keep|limit|output|rank|reply|respond|return|sort|summari[sz]e)\\b',
    'please (?:be|cite|include|only|give (?:me )?the|list (?:the|them)|note|provide|explain why)',
    // "Any pointers are welcome.", "Anything peer reviewed is fine."
    'any (?:help|ideas|pointers?|suggestions?|recommendations?)\\b|anything [^,.?!:]{0,30}\\bis (?:fine|ok|okay|enough|welcome)\\b',
  ].join('|')})`,
  'iu',
);
/** "If there are several, list the best ones." */
const INSTRUCTION = /^(?:if (?:possible|there|nothing|none)|system:)/iu;

const END = '[\\s.?!]*$';
/** Ends that say what the answer is for. */
const TAILS = [
  `,? (?:would|will) be (?:(?:\\w+ly|very|most|much) )*appreciated${END}`,
  `(?<![\\s,;–—-])[\\s,;–—-]*(?:\\b(?:please|thanks|thank you|thx|many thanks|cheers|kindly)\\b(?: (?:in advance|so much|very much|a lot|for your help))?|\\bif (?:you (?:can|could|have|know)|possible|there (?:is|are) any)\\b.*|\\bas soon as possible)${END}`,
  // ", and give me its odds"
  ',? and (?:(?:give|tell|send|show) (?:me|us)|quote|report) .*$',
  // " for my thesis"
  ',? (?:for|in) (?:my|our) .*$',
  // " that I could cite"
  ',? (?:that|which) (?:i|we|they|he|she|you) (?:can|could|should|might|may|would) (?:cite|read|use|include|reference|look at|build on|start (?:with|from)|recommend|think)\\b.*$',
  // ", as I have to give a talk"
  ',? (?:so (?:that )?(?:i|we|he|she|they) (?:can|could|may)|(?:as|because) (?:i|we|my|our)\\b|(?:i|we) (?:need|want) (?:it|them|this)\\b).*$',
].map((tail) => new RegExp(tail, 'iu'));

const LABELLED =
  /(?:^|[\s{,<*#])["*<]*(?:query|question|search(?: query)?|topic|subject|request|research question|search terms?)["*>]*\s*[:=>]\s*["*]*\s*(?<asked>[^\n"<]{8,})/iu;
/** Where nothing else is labelled. */
const TASK = /(?:^|\s)task:\s+(?<asked>[^\n"<]{8,})/iu;
const QUOTED = /["“«](?<asked>[^"“”«»]{20,})["”»]/u;
const SENTENCE_END =
  /(?<=[.?!]["”')]?)\s+(?=["“'(]?[\p{Lu}\p{N}]|i\b|please|thank|could|can you)|(?<=[.?!])\s+[-–—]+\s+|\n+/u;
const CUE =
  /\b(?:please|thanks?|help(?:s|ed|ing)?|assist(?:s|ing|ant)?|research(?:er|ing)|student|professor|supervisor|thesis|dissertation|literature|client|boss|manager|colleague|user|deadline|meeting|curious|wonder(?:s|ing)|interested|looking for|asked|papers|articles)\b/iu;
/** Words of the subject that the asking sentences need to stand for themselves; a question, fewer. */
const ENOUGH = 4;
const ENOUGH_OF_QUESTION = 3;
/** What somebody says of himself. */
const SELF = /^(?:(?:i|my)\b|as an? )/iu;
/** What stands for a word that was said before. */
const PRONOUN = /\b(?:it|its|they|them|their|these|those)\b/iu;

/** What begins with such a word says nothing without those before. */
const OPEN = /^(?:(?:will|would|does|do|is|are|can|could) )?(?:it|its|they|them|their)\b/iu;

/** What a question about an event takes as given: "with inflation at 3%, will the Fed cut rates?" */
const CLAUSE = String.raw`(?:[^.,;:?!\n]|[.,](?=\d)|(?<=\b\p{L})\.){3,150}`;
const GIVEN = new RegExp(
  String.raw`^(?:with|given|now that|considering|while|whereas|since|despite|amid|although|even though|after the(?! end\b)) ${CLAUSE}, (?:and |so |then )?(?=(?:will|would|how|what|who|which|when|where|is|are|does|do|can|could|should)\b)`,
  'iu',
);
const GIVEN_LAST = new RegExp(
  String.raw`(?<=\S),? (?:given(?! to\b)|now that|considering|despite|amid|even (?:if|though)) ${CLAUSE}(?=[.?!]?$)`,
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
  const labelled = (LABELLED.exec(text) ?? TASK.exec(text))?.groups?.asked;
  if (labelled !== undefined && subjectWords(labelled) > 1) {
    const kept = labelled.split(SENTENCE_END).filter((sentence) => !BACKGROUND.test(sentence));
    return unwrap((kept.join(' ') || labelled).trim(), isProse);
  }
  const sentences = text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const read = sentences.map((sentence) => readSentence(sentence.trim(), isProse));
  // A question beside what its asker says of himself.
  const isTold =
    read.some(({ kind, text: said }) => kind === 'background' && SELF.test(said)) &&
    read.some(
      ({ kind, text: said }) => kind === 'plain' && said.endsWith('?') && standsAlone(said),
    );
  const isStatement = isProse && !text.includes('?');
  if (!isTold && !read.some((one) => isFrame(one, isStatement))) return text;
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

/**
 * An abstract, too, may say "we": who asks or what for must be recognised besides. Where nothing is asked,
 * "the literature" or "clients" are its own.
 */
function isFrame({ kind, text }: Sentence, isStatement: boolean): boolean {
  if (kind !== 'background') return kind === 'asking';
  const isOwn = isStatement && /^(?:we|our)\b/iu.test(text);
  return (!isOwn && CUE.test(text)) || subjectWords(text) === 0;
}

interface Sentence {
  /** Without its frame. */
  text: string;
  kind: 'asking' | 'background' | 'plain';
  /** Asks by saying what somebody wants. */
  isPersonal: boolean;
}

function readSentence(sentence: string, isProse: boolean): Sentence {
  const told = sentence.replace(GREETING, '');
  const isBackground = BACKGROUND.test(sentence);
  const middle = isBackground ? middleOf(sentence, isProse) : 0;
  if (INSTRUCTION.test(sentence) || (middle === 0 && subjectWords(sentence) === 0)) {
    return { text: sentence, kind: 'background', isPersonal: false };
  }
  const asked = sentence.slice(middle);
  const text = unwrap(asked, isProse);
  if (middle > 0 || text !== asked) {
    const kind = subjectWords(text) > 0 ? 'asking' : 'background';
    return { text, kind, isPersonal: middle === 0 && BACKGROUND.test(told) };
  }
  return { text: sentence, kind: isBackground ? 'background' : 'plain', isPersonal: false };
}

/** Where a sentence that says who asks begins to ask; 0 where what follows needs the words before. */
function middleOf(sentence: string, isProse: boolean): number {
  const endOf = ({ index, 0: lead }: RegExpExecArray) => index + lead.length;
  const pattern = isProse && !/^(?:just )?for /iu.test(sentence) ? MIDDLE : EVENT_MIDDLE;
  const middle = [...sentence.matchAll(pattern)].map(endOf).at(-1) ?? 0;
  const rest = sentence.slice(middle);
  if (middle > 0 && standsAlone(rest)) return middle;
  // Abstracts say "we" or "I" themselves.
  const [reported] = /^(?:i|we)\b/iu.test(sentence) ? [] : sentence.matchAll(REPORTED);
  if (reported !== undefined && standsAlone(sentence.slice(endOf(reported)))) {
    if (unwrap(sentence, isProse) === sentence) return endOf(reported);
  }
  const words = PRONOUN.test(rest) ? subjectWords(rest) : 0;
  return words === 0 || words >= ENOUGH ? middle : 0;
}

/** Whether a text says enough to be asked without those before it. */
function standsAlone(text: string): boolean {
  return !PRONOUN.test(text) && subjectWords(text) >= ENOUGH_OF_QUESTION;
}

/** A sentence without the beginning that asks, and the end that says what for. */
function unwrap(sentence: string, isProse: boolean): string {
  const told = sentence.replace(GREETING, '');
  const led = told.slice(leadInOf(told, isProse));
  const text = isProse ? led : led.replace(LIKELY, '');
  if (text === sentence || subjectWords(text) === 0) return sentence;
  return TAILS.reduce((wrapped, tail) => {
    const cut = wrapped.replace(tail, '');
    return subjectWords(cut) > 1 ? cut : wrapped;
  }, text);
}

function subjectOf(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, { text }) => sum + subjectWords(text), 0);
}
