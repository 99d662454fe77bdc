import type { Context } from '../../core/context.ts';
import type { Verdict } from '../../core/envelope.ts';
import type { Filter } from './filter.ts';
import type { SearchIndex } from './index.ts';
import type { Match } from './match.ts';
import { search } from './search.ts';
import { judge } from './verdict.ts';

/** What a question needs of a context. */
export type Asking = Pick<Context, 'db' | 'embedQuery' | 'isWord'>;

export interface Question {
  /** As it was asked. */
  text: string;
  limit: number;
  filter?: Filter;
}

export interface Asked {
  /** Best first. */
  matches: Match[];
  verdict: Verdict;
  /** Of what was ranked; null in lexical-only search. */
  vector: Float32Array | null;
  /** What was read from the question beyond its words, for `meta.understood`. */
  understood: string[];
  /** What the caller should know, the most important first. */
  notices: string[];
}

/** Nothing was asked. */
export const NOTHING: Asked = {
  matches: [],
  verdict: 'none',
  vector: null,
  understood: [],
  notices: [],
};

/** Reads a question in plain words and ranks the cards for it. */
export async function ask(
  context: Asking,
  index: SearchIndex,
  { text, limit, filter }: Question,
): Promise<Asked> {
  const embedding = await context.embedQuery(text);
  const vector = 'vector' in embedding ? embedding.vector : null;
  const { matches, evidence } = await search(context.db, index, {
    text,
    vector,
    limit,
    ...(filter === undefined ? {} : { filter }),
  });
  return {
    matches,
    verdict: judge(evidence),
    vector,
    understood: [],
    notices: 'unavailable' in embedding ? [embedding.unavailable] : [],
  };
}
