import type { z } from 'zod';
import type { Context } from './context.ts';

export const AREAS = ['papers', 'macro', 'markets'] as const;

export type Area = (typeof AREAS)[number];

export type Verdict = 'strong' | 'weak' | 'none';

/** Which section of a card answers best, without its text. */
export interface CardMatch {
  paperCardId: string;
  score: number;
  sections: { section_key: string; score: number }[];
}

/** What a handler says about its answer, beside the answer. `run` adds credits and requestId. */
export interface AnswerMeta {
  /** When the data behind the answer was last refreshed, ISO 8601. */
  asOf: string;
  /** One sentence, only when the caller should know something. */
  notice?: string;
  verdict?: Verdict;
  matches?: CardMatch[];
}

export interface Answer<T> {
  data: T;
  meta: AnswerMeta;
}

/**
 * One row of the table: everything that is known about an operation, declared once.
 * Doors, command line, README and published schemas read it and add nothing.
 */
export interface Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  /** First sentence: what it does. Then when not to use it and which sibling to call. */
  description: string;
  area: Area;
  /** Credits of one successful call. */
  price: number;
  method: 'GET' | 'POST';
  /** REST path; a segment in braces is an argument. */
  path: string;
  input: I;
  output: O;
  /** Arguments of a typical call that answers on the starter shelf. */
  example: z.input<I>;
  /** True where answers are ranked, so that `meta` carries a verdict. */
  ranks?: boolean;
  /** True where one reply may be long on purpose (a whole paper). */
  longReplies?: boolean;
  /**
   * Rules over several arguments, which a schema cannot say. Throws `invalid_request`; runs before
   * the balance is looked at and before anything is searched for.
   */
  check?(input: z.output<I>): void;
  // Method syntax on purpose: rows of different inputs then fit one readonly Operation[].
  handler(input: z.output<I>, context: Context): Promise<Answer<z.output<O>>>;
}

/** Declares a row with its types inferred. */
export function defineOperation<I extends z.ZodObject, O extends z.ZodType>(
  operation: Operation<I, O>,
): Operation<I, O> {
  return operation;
}
