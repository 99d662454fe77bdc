import type { z } from 'zod';
import type { Area } from './area.ts';
import type { Context } from './context.ts';
import type { AnswerMeta } from './envelope.ts';

export interface Answer<T, M extends object = object> {
  data: T;
  meta: AnswerMeta & M;
}

/**
 * One row of the table: all facts about an operation, declared once. Doors, command line, README and published
 * schemas read it and add nothing.
 */
export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  M extends object = object,
> {
  name: string;
  title: string;
  /**
   * First what it does, in the words that people ask with: hosts that search tools rank by them, and
   * show about 155 characters. Then when not to use it and which sibling to call.
   */
  description: string;
  /** More such words, for hosts that read `anthropic/searchHint`. */
  searchHint?: string;
  area: Area;
  /** Credits of one successful call. */
  price: number;
  method: 'GET' | 'POST';
  /** REST path; a segment in braces is an argument. */
  path: string;
  input: I;
  output: O;
  /** Arguments of a typical call that the starter shelf can answer. */
  example: z.input<I>;
  /** True if answers are ranked; `meta` then carries a verdict. */
  ranks?: boolean;
  /** Fields of `meta` that only its answers have. */
  meta?: z.ZodObject & z.ZodType<M>;
  /** True if a long answer is thinned for a model; `meta.thinned` then says so. */
  thins?: boolean;
  /** True if a call may ask an upstream, now or in the background. */
  fetches?: boolean;
  /** Characters of a reply that hosts are asked to keep, where it may be long on purpose. */
  longReply?: number;
  /** Arguments that callers try although there are none, each with a sentence on what to use instead. */
  elsewhere?: Readonly<Record<string, string>>;
  /** True if hosts that can show the view use it for the answers. */
  isDrawn?: boolean;
  /**
   * Rules over several arguments, which a schema cannot express. Throws `invalid_request`; runs
   * before the balance is checked and before the handler.
   */
  check?(input: z.output<I>): void;
  // Method syntax on purpose: rows with different inputs then fit one readonly Operation[].
  handler(input: z.output<I>, context: Context): Promise<Answer<z.output<O>, M>>;
}

/** Declares a row with its types inferred. */
export function defineOperation<
  I extends z.ZodObject,
  O extends z.ZodType,
  M extends object = object,
>(operation: Operation<I, O, M>): Operation<I, O, M> {
  return operation;
}
