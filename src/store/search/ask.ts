import type { Context } from '../../core/context.ts';
import type { Verdict } from '../../core/envelope.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Filter, Preference } from './filter.ts';
import type { SearchIndex } from './index.ts';
import type { Match } from './match.ts';
import { readQuestion } from './query/read.ts';
import { relativeDatesOf } from './query/relative-dates.ts';
import { subjectWords } from './query/words.ts';
import { search } from './search.ts';
import { type Evidence, judge } from './verdict.ts';

/** What a question needs of a context. */
export type Asking = Pick<Context, 'db' | 'embedQuery' | 'isWord' | 'now'>;

export interface Question {
  /** As it was asked. */
  text: string;
  limit: number;
  filter?: Filter;
  preferences?: readonly Preference[];
}

export interface Asked {
  /** Best first. */
  matches: Match[];
  evidence: Evidence | null;
  verdict: Verdict;
  /** What was ranked: the gist of the question, its typing errors corrected. */
  text: string;
  /** Its embedding; null in lexical-only search. */
  vector: Float32Array | null;
  /** What was read from the question beyond its words, for `meta.understood`. */
  understood: string[];
  /** What the caller should know, the most important first. */
  notices: string[];
}

/** Nothing was asked. */
export const NOTHING: Asked = {
  matches: [],
  evidence: null,
  verdict: 'none',
  text: '',
  vector: null,
  understood: [],
  notices: [],
};

/** Below this specificity are single common words, such as "order". */
const LITTLE = 0.45;

/**
 * Reads a question in plain words and ranks the cards for it. Throws `invalid_request` for one without
 * a letter or digit.
 */
export async function ask(
  context: Asking,
  index: SearchIndex,
  { text, limit, filter, preferences = [] }: Question,
): Promise<Asked> {
  const { hint = 'name a subject' } = index;
  if (!/[\p{L}\p{N}]/u.test(text)) {
    throw invalidRequest(`query has no words: ${hint}.`, 'query');
  }
  const reading = await readQuestion(context, index, text);
  const { text: gist, excluded, language } = reading;
  const embedding = await context.embedQuery(gist);
  const vector = 'vector' in embedding ? embedding.vector : null;
  const { matches, evidence } = await search(context.db, index, {
    text: gist,
    vector,
    fieldScore: fieldScoreOf(vector, index),
    limit,
    preferences,
    dates: relativeDatesOf(gist, context.now()),
    ...(filter === undefined ? {} : { filter }),
    ...(excluded === null ? {} : { excluded: await readExcluded(context, excluded) }),
  });
  const isEmpty = !namesSubject(gist);
  const verdict = !isEmpty ? judge(evidence) : excluded === null ? 'none' : 'weak';
  // An author or a date says something, too.
  const isLittle =
    index.isProse === true && preferences.length === 0 && (evidence?.specificity ?? 1) < LITTLE;
  const isVague = isEmpty || (isLittle && verdict !== 'strong');
  const littleSaid = isVague ? `The question says too little: ${hint}.` : '';
  return {
    matches,
    evidence,
    verdict: language !== null && verdict === 'strong' ? 'weak' : verdict,
    text: gist,
    vector,
    understood: reading.understood,
    notices: [
      language === null ? littleSaid : describeLanguage(language, reading.isTranslated),
      'unavailable' in embedding ? embedding.unavailable : '',
    ],
  };
}

/** Whether a text has a word with a meaning of its own; "US" in capitals is one. */
function namesSubject(text: string): boolean {
  return subjectWords(text) > 0 || /\bUS\b/.test(text);
}

function fieldScoreOf(vector: Float32Array | null, { field }: SearchIndex): number {
  if (vector === null || field === undefined) return 0;
  const product = field.direction.reduce((sum, one, at) => sum + one * (vector[at] ?? 0), 0);
  return product - field.midpoint;
}

function describeLanguage(language: string, isTranslated: boolean): string {
  const done = isTranslated ? ' only its terms of the field were translated;' : '';
  return `The question seems to be in ${language}, but the shelf and its model read English:${done} ask again in English.`;
}

async function readExcluded({ embedQuery }: Asking, text: string) {
  const embedding = await embedQuery(text);
  return { text, vector: 'vector' in embedding ? embedding.vector : null };
}
