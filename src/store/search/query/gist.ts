import { isStopWord } from '../lexical/tokenise.ts';

/*
 * People and agents wrap a question in courtesies, and say who they are and what the answer is for.
 * Only the part that asks is ranked. A text in which nothing of this is recognised stays as it is.
 */

const PERSON =
  "(?:i|we|they|he|she|somebody|someone|(?:my|our|the|a|an|this|another) (?:[\\w-]+ ){0,2}?(?:user|client|team|researcher|colleague|boss|manager|supervisor|professor|advisor|adviser|student|analyst|friend|customer|desk|group|reader|quant|trader))(?:['’](?:d|m|re|ve|s|ll))?";
const ADVERBS =
  '(?:(?:\\w+ly|please|just|also|maybe|perhaps|now|still|been|very|so|most|much|quite) )*';
const DOCUMENT =
  '(?:papers?|articles?|studies|research(?: papers?| articles?)?|literature|publications?|preprints?|references|academic works?|scholarly works?|work|sources?|readings?)';
/** No alternative is made of others: a run of such words would be read in ever more ways. */
const ADJECTIVES =
  '(?:(?:some|any|a few|a couple of|a|an|all|the|several|more|most|top|best|good|relevant|useful|recent|latest|new|key|related|further|interesting|important|academic|scientific|scholarly|published|quantitative[- ]finance|finance|financial|arxiv|peer-reviewed|existing|available|of|what|which|one or two|\\d+) )*';
const TREATS =
  '(?:is|are|was|were|(?:that |which |who )?(?:has |have |specifically |directly |explicitly |actually |really |mainly )*(?:been |be )?(?:about|on|regarding|concerning|discuss(?:es|ing)?|covers?|covering|address(?:es|ing)?|deals? with|dealing with|talks? about|focus(?:es|ing|ed)? on|looks? (?:at|into)|looking (?:at|into)|related to|relating to|relevant to|in the area of|around|written (?:on|about)|done (?:on|about)|answers?|tells? (?:me|us)|explain(?:s|ing)?|show(?:s|ing)?|stud(?:y|ies|ying)|examin(?:es?|ing)|explor(?:es?|ing)|investigat(?:es?|ing)|analy[sz](?:es?|ing)|consider(?:s|ing)?|describ(?:es?|ing)|dedicated to|devoted to))';
const VERB =
  '(?:find(?: out)?|search(?: (?:the|your|our) [\\w-]+)?(?: for)?|look(?: up| for| into| through)?|locate|identify|retrieve|get|give|show|list|recommend|suggest|point|provide|fetch|gather|collect|pull(?: up| together)?|dig up|bring(?: up)?|surface|return|tell|know|see|learn|read(?: up)?|understand|check|help|direct|steer|refer|share|send|explain|track down|let (?:me|us) know)';
const TO_WHOM =
  '(?: (?:me|us|him|her|them|it)\\b)?(?: (?:to|with|at|toward|towards|of|out|in finding|in the (?:right )?direction of)\\b)?';

/** What prediction markets are asked for; other than papers, they are named for what they are about. */
const EVENT =
  '(?:(?:a|an|any|some|all|the|also|prediction|open|live|current|betting) )*(?:markets?|events?|bets?|contracts?|odds|chances?)';
/** Who bets, and what they do. */
const CROWD =
  '(?:(?:the |prediction |betting )*(?:traders?|bettors?|crowds?|punters?|gamblers?|bookmakers?|markets?|people) (?:currently )?(?:thinks?|thought|expects?|expected|believes?|believed|says?|said|prices?|priced|bets?|gives?|gave)(?: in)?(?: (?:on|about|of|for|that))*)';
/** For what the answer is needed; a date or number there is none of the subject. */
const PURPOSE =
  '(?:podcast|column|newsletter|keynote|talk|slides?|quiz|blog|article|memo|report|book|thesis|class|course|meeting|hearing|client|team|boss|presentation|show|story|piece|footnote|chart|e-?mail|exam|deck)';
const DOCUMENTS = `${ADJECTIVES}${DOCUMENT}(?: (?:out there|available|in (?:the|your) \\w+))?(?: ${TREATS}| (?:that|which|where|in which|of))`;
const WHAT = `(?: ${DOCUMENTS}| (?:about|on|if|whether|there (?:is|are)|anything (?:on|about)|something (?:on|about)|everything (?:on|about)|more (?:on|about)|what is known (?:on|about)|what (?:the literature|research) (?:says|tells us) (?:on|about)))*`;

const YOU = '(?:you|u|somebody|someone|anyone)';
/** What is asked of somebody, after "could you" and the like. */
const FAVOUR = `${ADVERBS}(?:be (?:(?:so )?(?:kind|good) (?:as|enough)|able|willing) to |do (?:me|us) (?:a|the) favou?r and |help${TO_WHOM} )?${ADVERBS}${VERB}${TO_WHOM}${WHAT}`;
const FINDING = `(?:(?:find|check|look|search|tell|pull|see|point|direct|recommend|suggest|shar)ing(?: out| up| for| into)?${TO_WHOM}${WHAT})`;
const POINTERS = `(?:(?:any |some |a few |your )*(?:pointers?|suggestions?)|(?:any|some|your) help)(?: (?:to|toward|towards|on|with|in|for|about))*(?: ${FINDING})?${WHAT}`;
/** What comes before "if you could". */
const COURTESY = [
  `(?:(?:(?:i|we)(?:['’](?:d|ll|m|re)| would| will| am| are| was| were)?|would) )?${ADVERBS}(?:be ${ADVERBS})?(?:grateful|thankful|happy|glad|pleased|obliged|delighted|wonder(?:ing)?|hop(?:e|ing)|appreciate(?: it)?|love it|(?:(?:like|want|writing) to ${ADVERBS})?ask|request)`,
  `(?:it|that|this)(?:['’](?:d|ll)| would| will) ${ADVERBS}(?:be ${ADVERBS}(?:great|good|nice|lovely|wonderful|kind|helpful|useful|appreciated)(?: of you)?|help(?: (?:me|us))?(?: a lot)?|mean a lot(?: to (?:me|us))?)`,
  `you(?:['’]d| would) (?:do|be doing) (?:me|us) an? (?:\\w+ )?favou?r`,
  '(?:is there )?any chance',
].join('|');

/** Beginnings of questions about events; in a paper's title they can be of the subject: "odds of ruin". */
const EVENT_HEADS = [
  `for (?:(?:my|our|an?|the|this|your) [^:?.!]{0,60}?)?\\b(?:${PURPOSE}(?: \\d+)?|(?:page|section|chapter|item) \\d+)\\b[^:?.!,]{0,40}?(?=[:,]| (?:i|we)(?:['’]d)? (?:want|need|would|like))`,
  '(?:just )?for (?:fun|the record)\\b[^:?.!]{0,30}(?=:)',
  '(?:(?:step|task|part|item|question) \\d+(?: of \\d+)?|(?:agent|user|internal) \\w+)(?=:)',
  `(?:is|are) there ${EVENT} (?:on|for|about|of|that|which|where|with|asking|whether|if)\\b`,
  `(?:any|summari[sz]e|describe|quote|${VERB}(?: me| us)?) ${EVENT} (?:on(?: whether)?|for|about|of|whether|(?:that|which)(?: (?:is (?:on|about)|asks?(?: whether)?|covers?|deals with|prices?|tracks?))?)\\b`,
  '(?:please )?use (?:the |your )?(?:[\\w-]+ ){0,3}tools? (?:and|to)\\b',
  `(?:(?:please |${VERB} (?:me |us )?)?(?:whether|what|how)(?: (?:do|does|did|likely))? )?${CROWD}`,
  `(?:(?:please )?${VERB} )?what(?:['’]s| is| was| are| were) (?:priced|expected)(?: in)? (?:for|on|about)\\b`,
  "what(?:['’]s| is| are) the (?:odds|chances?|likelihood) (?:of|that|for|on)\\b",
  'how (?:likely|probable) is it (?:that|for)\\b',
  '(?:(?:the|implied|market|betting) )*(?:odds|chances?|probabilit(?:y|ies)|likelihood) (?:of|that|for|on)\\b',
].map(headOf);
/** The end of keywords for an event. */
const EVENT_TAIL = /(?<=\S) (?:odds|chances|probabilit(?:y|ies)|likelihood)[.?!]?$/iu;

const GREETING =
  '(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day))\\b[^,.!:]{0,30}[,.!:]';
/** Beginnings that ask without saying what for. */
const HEADS = [
  '(?:a |just a )?quick (?:one|question|check|ask|note)[^:?.!]{0,30}(?=:)',
  GREETING,
  '(?:ok|okay|well|so|now|anyway)\\b,?(?= (?:could|can|would|please|i|we)\\b)',
  `(?:please|kindly),?(?= (?:${VERB}|do let|be (?:so )?(?:kind|good))\\b)`,
  `(?:could|can|would|will|might) ${YOU} ${FAVOUR}`,
  `(?:${COURTESY})(?: (?:if|that|whether))? ${YOU}(?:['’]d)? (?:(?:could|can|would|will|might|may) )?${FAVOUR}`,
  `(?:(?:would you mind|(?:i|we) (?:need|want)(?: your| some) help(?: (?:in|with))?|(?:thanks|thank you)(?: (?:so much|very much|in advance))* for) ${FINDING})`,
  `(?:${COURTESY}) (?:for )?${POINTERS}`,
  `any (?:pointers?|suggestions?) (?:to|toward|towards|on|for|about)${WHAT}`,
  `(?:could|may|might|can) (?:i|we) ${ADVERBS}(?:trouble|ask|bother)(?: you)? (?:(?:for|about|if|whether)${WHAT}|to ${FAVOUR})`,
  `be (?:so )?(?:kind|good) (?:as|enough) to ${FAVOUR}`,
  `(?:do )?let (?:me|us) know(?: of)?${WHAT}`,
  `do you (?:know|have|happen to have|happen to know)(?: of)?${WHAT}`,
  `(?:are|is) there (?:any |some )?${DOCUMENTS}`,
  `would it be possible to ${VERB}${TO_WHOM}${WHAT}`,
  `(?:i|we)(?:['’]d| would) ${ADVERBS}be ${ADVERBS}(?:happy|glad|pleased|delighted|curious|interested|keen|grateful) (?:to|in)(?: ${VERB}${TO_WHOM})?${WHAT}`,
  `${PERSON}(?: (?:would|am|are|is|was|were|have|has|had))? ${ADVERBS}(?:like|love|want|wants|wanted|need|needs|wish|wishes|hope|hoping|looking|trying|interested|curious|searching|wonder|wondering|wonders|writing(?= to ask)|seeking|eager|keen|asking|asks|asked)(?: (?:me|you))?(?: (?:to|for|in|if|about|whether))?(?: (?:you )?(?:to )?${ADVERBS}${VERB}${TO_WHOM}| ${ADVERBS}ask(?: you)?(?: for)?(?= (?:papers?|articles?|studies|research|literature|about|if|whether)\\b))?${WHAT}`,
  `${VERB} (?:me|us|him|her|them)(?: (?:to|with|at|toward|towards))?${WHAT}`,
  `(?:find|search(?: [\\w-]+){0,3} for|look for|look up|locate|identify|retrieve|list|recommend|suggest|get|gather|collect)(?: (?:me|us))? ${DOCUMENTS}`,
  '(?:search|look) (?:for|up)\\b',
  '(?:the following|one thing|(?:my|the|his|her|their|our) (?:question|topic|problem|subject))(?: (?:questions?|topics?|subjects?|problems?|issues?))?(?: (?:is|was|concerns))?(?=:)',
  DOCUMENTS,
].map(headOf);

/**
 * For text in lower case: patterns of thousands of characters that ignore case or read Unicode take V8 a
 * tenth of a second to compile, a third of which they take without.
 */
function headOf(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})[\\s,:]+`);
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
const BACKGROUND = new RegExp(
  `^(?:${PERSON}\\b|(?:my|our|your)\\b|as (?:an?|part of|the|some) |need (?:this|it) |hi\\b|hello\\b|hey\\b|dear\\b|thanks?\\b|many thanks|cheers|regards|sorry|(?:kind|best|warm) regards|best,|appreciate|morning|you are |output |bullet points|for (?:context|background|reference)|(?:context|background|role|instructions?|notes?|output|format|constraints?|audience|persona|tone|purpose|goal)\\s*:|if (?:you|possible|there|nothing|none|it(?:['’]s| is)(?: not)? (?:too much|ok|okay|all right|at all possible))|when(?:ever)? you (?:have|get)|feel free|no need|do(?:n['’]t| not) (?:worry|hesitate)|please (?:return|respond|reply|answer|format|keep|be|cite|include|only|give (?:me )?the|list (?:the|them)|rank|sort|limit|provide|summari[sz]e|explain why|note)|(?:return|respond|reply|answer|format|rank|sort|limit|summari[sz]e)\\b|this (?:is|will|would) |it (?:is|was|would|will) |i['’]ll|we['’]ll|it['’]s for |[^,.?!:]{2,40} here\\b[.!]?$|any (?:help|pointers?|suggestions?|recommendations?) |anything [^,.?!:]{0,30}\\bis (?:fine|ok|okay|enough|welcome)\\b|(?:only )?(?:the )?(?:most relevant|top \\w+|a short list|up to \\w+|at most \\w+)\\b)`,
);

const TAILS = [
  /,? (?:would|will) be (?:(?:\w+ly|very|most|much) )*appreciated[\s.!?]*$/iu,
  /[\s,;–—-]*(?:\b(?:please|thanks|thank you|many thanks|cheers|kindly)\b(?: (?:in advance|so much|very much|a lot|for your help))?|\bif (?:you (?:can|could|have|know)|possible|there (?:is|are) any)\b.*|\bas soon as possible)[\s.!?]*$/iu,
  /,? and (?:(?:give|tell|send|show) (?:me|us)|quote|report) .*$/iu,
  /,? (?!in the [\w-]+ report\b)(?:for|in|as part of|to include in|to cite in|to use in) (?:my|our|his|her|their|an?|the|some)(?: [\w-]+){0,2} (?:thesis|dissertation|review|report|client|boss|manager|team|colleagues?|project|presentation|class|course|survey|essay|memo|meeting|talk|seminar|blog(?: post)?|newsletter|homework|assignment|deck|proposal|literature review|reading (?:list|group))\b.*$/iu,
  /,? (?:that|which) (?:i|we|they|he|she|you) (?:can|could|should|might|may|would) (?:cite|read|use|include|reference|look at|build on|start (?:with|from)|recommend|think)\b.*$/iu,
  /,? (?:so (?:that )?(?:i|we|he|she|they) (?:can|could|may)|because (?:i|we|my|our)\b|(?:i|we) (?:need|want) (?:it|them|this)\b).*$/iu,
];

const LABELLED =
  /(?:^|[\s{,<*#])["*<]*(?:query|question|search(?: query)?|topic|request|research question|search terms?)["*>]*\s*[:=>]\s*["*]*\s*(?<asked>[^\n"<]{8,})/iu;
const QUOTED = /["“«](?<asked>[^"“”«»]{20,})["”»]/u;
const SENTENCE_END =
  /(?<=[.?!]["”')]?)\s+(?=["“'(]?[\p{Lu}\p{N}]|i\b|please|thank|could|can you)|(?<=[.?!])\s+[-–—]+\s+|\n+/u;
const WORD = /[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu;
/** Words of the frame, which say nothing of the subject. */
const FRAME = new Set(
  `academic advance answer appreciate appreciated article articles assistant bet bye chance chances
  cheers client colleague community currently deadline dear event events favor favour field find
  finding good grateful great greetings hello help helpful helping hey hi hope interested kind
  kindly know known link list literature looking material most need needs odds pointer pointers
  publications question questions quick read reading recommend recommendations reference
  references relevant report researcher researchers result results return review search
  searching short source sources student subject suggest team thank thanks thesis today topic
  topics try trying understand useful user want wants week welcome well wondering work working
  write writing yes`.split(/\s+/),
);
const CUE =
  /\b(?:please|thanks?|help(?:s|ed|ing)?|assist(?:s|ing|ant)?|research(?:er|ing)|student|professor|supervisor|thesis|dissertation|literature|client|boss|manager|colleague|user|deadline|meeting|curious|wonder(?:s|ing)|interested|looking for|asked|papers|articles)\b/iu;
/** Words of the subject that the asking sentences need to stand for themselves; a question, fewer. */
const ENOUGH = 4;
const ENOUGH_OF_QUESTION = 3;
/** What somebody says of himself. */
const SELF = /^(?:(?:i|my)\b|as an? )/iu;
const GREETED = headOf(GREETING);
/** What stands for a word that was said before. */
const PRONOUN = /\b(?:it|its|they|them|their|these|those)\b/iu;
/** What begins with such a word says nothing without those before. */
const OPEN = /^(?:(?:will|would|does|do|is|are|can|could) )?(?:it|its|they|them|their)\b/iu;

/**
 * The part of a question that asks; the text itself if it is not wrapped in anything. `isProse` where
 * papers are asked for, not events.
 */
export function gistOf(asked: string, isProse: boolean): string {
  const text = isProse ? asked : asked.replace(EVENT_TAIL, '');
  const heads = isProse ? HEADS : [...EVENT_HEADS, ...HEADS];
  const labelled = LABELLED.exec(text)?.groups?.asked;
  if (labelled !== undefined && subjectWords(labelled) > 1) {
    const kept = labelled.split(SENTENCE_END).filter((sentence) => !isBackground(sentence));
    return unwrap((kept.join(' ') || labelled).trim(), heads).text;
  }
  const sentences = text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const read = sentences.map((sentence) => readSentence(sentence.trim(), heads));
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

function readSentence(sentence: string, heads: readonly RegExp[]): Sentence {
  const middle = askingIn(sentence, heads);
  const isIntroduced = middle !== undefined && isBackground(sentence);
  const asked = isIntroduced ? sentence.slice(middle.index + middle[0].length) : sentence;
  if (!isIntroduced && subjectWords(sentence) === 0) {
    return { text: sentence, kind: 'background', isPersonal: false };
  }
  const { text, isWrapped } = unwrap(asked, heads);
  if (isWrapped || isIntroduced) {
    const kind = subjectWords(text) > 0 ? 'asking' : 'background';
    const told = sentence.slice(GREETED.exec(lowered(sentence))?.[0].length ?? 0);
    return { text, kind, isPersonal: !isIntroduced && isBackground(told) };
  }
  const kind = isBackground(sentence) ? 'background' : 'plain';
  return { text: sentence, kind, isPersonal: false };
}

/** Where a sentence begins to ask, unless what follows needs the words before. */
function askingIn(sentence: string, heads: readonly RegExp[]): RegExpExecArray | undefined {
  const rest = ({ index, 0: lead }: RegExpExecArray) => sentence.slice(index + lead.length);
  const isProse = heads === HEADS;
  const middle = [...sentence.matchAll(isProse ? MIDDLE : EVENT_MIDDLE)].at(-1);
  if (middle !== undefined && standsAlone(rest(middle))) return middle;
  // Abstracts say "we" or "I" themselves.
  const [reported] = /^(?:i|we)\b/iu.test(sentence) ? [] : sentence.matchAll(REPORTED);
  if (reported !== undefined && standsAlone(rest(reported))) {
    if (!unwrap(sentence, heads).isWrapped) return reported;
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
function unwrap(sentence: string, heads: readonly RegExp[]): { text: string; isWrapped: boolean } {
  let text = sentence;
  for (let left = heads.length; left > 0; left -= 1) {
    const head = firstOf(heads, lowered(text));
    if (head === undefined || subjectWords(text.slice(head.length)) === 0) break;
    text = text.slice(head.length);
  }
  if (text === sentence) return { text, isWrapped: false };
  for (const tail of TAILS) {
    const cut = text.replace(tail, '');
    if (subjectWords(cut) > 1) text = cut;
  }
  return { text, isWrapped: true };
}

function firstOf(heads: readonly RegExp[], text: string): string | undefined {
  for (const head of heads) {
    const [found] = head.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
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
