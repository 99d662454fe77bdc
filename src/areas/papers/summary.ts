import { cosineOf } from '../../store/vectors.ts';

/** Sentences of a summary, and characters of all of them together. */
const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 600;
/** A third sentence only where the two before it are short. */
const ROOM_FOR_THIRD = 380;
const MIN_WORDS = 6;

/** What a sentence gains or loses beside its nearness to the centre, in cosine. */
const WEIGHTS = {
  /** Share of the likeness to a chosen sentence that is lost. */
  repeated: 0.35,
  /** Says what the paper does or finds. */
  telling: 0.1,
  /** Says why the subject matters, as every paper on it could. */
  background: 0.06,
  /** Leans on a sentence that is not there. */
  leaning: 0.15,
  /** Leaves no room for another one. */
  long: 0.1,
} as const;
const LONG = 360;

/** Says where things are, or about the paper as a file: nothing of what it finds. */
const ASIDE =
  /\b(?:code|data|datasets?|supplementary|software|replication|package|materials?|implementation)\b[^.]*\b(?:(?:publicly|freely|openly)? ?available (?:at|on|from|via|upon|under|in)|released|open-sourced|can be found)\b|https?:\/\/|www\.|github|\baccepted\b[^.]*\b(?:at|to|for|in|by)\b|\bto appear in\b|\b(?:paper|article|note|work) (?:is|are) (?:organi[sz]ed|structured)\b|\bJEL\b|\bkey ?words?\b|^\W*appl\b/i;
/** Only announces that something follows. */
const ANNOUNCES =
  /(?:^.{0,70}|\b(?:present|report|document|provide|offer|establish|make|prove|obtain|identify|find|yield)s? )\b(?:\w+ ){0,3}(?:findings|results|contributions|facts|insights|questions|hypotheses|conclusions)(?: emerge| stand out| follow)?[.:]$/i;
/** Begins with a word that points back, or is an item of a list. */
const LEANS =
  /^(?:However|But|And|Yet|Moreover|Furthermore|Additionally|Also|In addition|Therefore|Thus|Hence|Consequently|Accordingly|As a result|Conversely|By contrast|In contrast|Instead|Nevertheless|Nonetheless|Then|Next|Finally|Lastly|Second(?:ly)?|Third(?:ly)?|Fourth(?:ly)?|First(?:ly)?|One|Another|Specifically|In particular|In turn|Similarly|Likewise|Rather|Indeed|For (?:example|instance)|To (?:this|that) end|To (?:address|overcome|solve|tackle|fill|bridge|close) (?:this|these|it|them|such)|In (?:this|that|these|those|both|each|either|all) (?:case|setting|regime|context|sense|way)s?|Under (?:this|these)|It|They|He|She|Its|Their|Theirs|These|Those|Such|Both|Each|Here|That|The (?:latter|former|second|third|same|resulting|remaining)|This(?! (?:paper|study|article|work|research|thesis|note|survey|review|chapter|report|essay|monograph|tutorial|dissertation))|\(?(?:\d{1,2}|[ivx]{1,4}|[a-e])[).])(?=[\s,:])/;
/** Points back in its midst. */
const POINTS_BACK =
  /\b(?:this|these|such) (?:gaps?|challenges?|problems?|issues?|limitations?|drawbacks?|shortcomings?|puzzle|question|concerns?|line of|context|end|observations?)\b|^(?:From|Using|With|Based on|By|Building (?:up)?on|Motivated by|Given|Despite|Beyond) (?:this|these|that|it)\b/;
/** What the paper does or finds. */
const TELLS =
  /\b(?:[Ww]e|[Tt]his (?:paper|study|article|work|research|thesis|survey|review|note)|[Tt]he (?:paper|study|article|authors?)|I)\s+(?:\w+ly\s+)?(?:show|find|prove|propose|introduce|develop|present|derive|demonstrate|document|study|studies|investigate|examine|analy[sz]e|establish|construct|estimate|characteri[sz]e|provide|obtain|design|build|test|evaluate|compare|extend|identify|formulate|address|explore|argue|offer|conduct|apply|model|solve|consider|create|describe|review|survey)(?:s|es|d)?\b|\b[Rr]esults? (?:show|indicate|suggest|reveal|demonstrate|confirm)|\b(?:[Ff]indings|[Ee]vidence|[Ee]xperiments|[Ss]imulations) (?:\w+ )?(?:show|indicate|suggest|reveal|demonstrate|confirm)|\b(?:outperform|improves?|reduces?|achieves?)\b/;
/** Why the subject matters. */
const BACKGROUND =
  /\b(?:recent years|has (?:become|emerged|attracted|received|gained)|have (?:become|emerged|attracted|received|gained|been widely)|(?:is|are|remains?) (?:a |an |one of )?(?:\w+ )?(?:crucial|essential|fundamental|central|critical|challenging|important|key|vital|widely|increasingly|difficult|poorly|largely)|play(?:s)? an? \w+ role|traditional(?:ly)?|existing (?:methods|approaches|models|studies|work|literature)|little is known)\b/i;

/**
 * Two or three sentences of an abstract, as they stand and in their order: central ones (near to the
 * mean of title and sentences) that do not repeat each other, best those that say what is done or
 * found and need no sentence before them. Cosines are rounded and ties go to the earlier sentence,
 * so that the tiny differences of batching change nothing.
 * `vectors` are those of the sentences, `centre` is the mean of title and sentences.
 */
export function summarise(
  sentences: readonly string[],
  vectors: readonly Float32Array[],
  centre: Float32Array,
): string {
  const likeness = (a: Float32Array | undefined, b: Float32Array | undefined) =>
    a === undefined || b === undefined ? 0 : Math.round(cosineOf(a, b) * 1_000) / 1_000;
  const central = sentences.map((_, index) => likeness(vectors[index], centre));
  return choose(sentences, (index, chosen) => {
    const others = chosen.map((other) => likeness(vectors[index], vectors[other]));
    return (central[index] ?? 0) - WEIGHTS.repeated * Math.max(0, ...others);
  });
}

/** The same without a model: what the paper is about tends to stand first, what it finds last. */
export function summariseWithoutModel(sentences: readonly string[]): string {
  const last = sentences.length - 1;
  const ends = (index: number) => (index === 0 ? 0.15 : index >= last - 1 ? 0.1 : 0);
  return choose(sentences, (index) => ends(index) - index / 1_000);
}

/** The best sentence, then the best beside it, in the order of the abstract. */
function choose(
  sentences: readonly string[],
  nearness: (index: number, chosen: readonly number[]) => number,
): string {
  if (sentences.length <= 2) return sentences.join(' ');
  const candidates = sentences.flatMap((sentence, index) =>
    isInformative(sentence) ? [index] : [],
  );
  if (candidates.length < 2) return sentences.slice(0, 2).join(' ');
  const manner = sentences.map(weighManner);
  const lengthOf = (index: number) => sentences[index]?.length ?? 0;
  const chosen: number[] = [];
  let length = 0;
  while (chosen.length < 2 || (chosen.length < MAX_SENTENCES && length <= ROOM_FOR_THIRD)) {
    const left = candidates.filter((index) => !chosen.includes(index));
    const fitting = left.filter((index) => length + lengthOf(index) <= MAX_CHARACTERS);
    // Where no second one fits, the shortest says more than none.
    const shortest = [...left].sort((a, b) => lengthOf(a) - lengthOf(b) || a - b).slice(0, 1);
    const pool = fitting.length > 0 ? fitting : chosen.length < 2 ? shortest : [];
    const [best] = pool
      .map((index) => ({ index, score: round(nearness(index, chosen) + mannerOf(index, chosen)) }))
      .sort((a, b) => b.score - a.score || a.index - b.index);
    if (best === undefined) break;
    chosen.push(best.index);
    length += lengthOf(best.index) + 1;
  }
  return chosen
    .sort((a, b) => a - b)
    .map((index) => sentences[index] ?? '')
    .join(' ');

  function mannerOf(index: number, taken: readonly number[]): number {
    const { own, leaning } = manner[index] ?? { own: 0, leaning: 0 };
    return own - (index === 0 || taken.includes(index - 1) ? 0 : leaning);
  }
}

/** What a sentence's wording is worth, and what it loses where the one before it is missing. */
function weighManner(sentence: string): { own: number; leaning: number } {
  const own =
    (TELLS.test(sentence) ? WEIGHTS.telling : 0) -
    (BACKGROUND.test(sentence) ? WEIGHTS.background : 0) -
    (sentence.length > LONG ? WEIGHTS.long : 0);
  const leans = LEANS.test(sentence) || POINTS_BACK.test(sentence) || sentence.endsWith('?');
  return { own, leaning: leans ? WEIGHTS.leaning : 0 };
}

function isInformative(sentence: string): boolean {
  return (
    sentence.split(/\s+/).length >= MIN_WORDS && !ASIDE.test(sentence) && !ANNOUNCES.test(sentence)
  );
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
