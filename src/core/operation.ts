import type { z } from 'zod';
import type { Area } from './area.ts';
import type { Context } from './context.ts';
import type { ReplyMeta } from './envelope.ts';

export interface Reply<T, M extends object = object> {
  data: T;
  meta: ReplyMeta & M;
}

/**
 * One row of the table: everything about an operation, declared once. The doors, the command line, the README
 * and the published schemas all derive from it.
 */
export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  M extends object = object,
> {
  name: string;
  title: string;
  /**
   * First, what the operation does, in users' words: hosts with tool search rank by them, and show about 155
   * characters. Then, when to call a sibling instead.
   */
  description: string;
  /** Further search words, for hosts that read `anthropic/searchHint`. */
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
  /** True if replies are ranked; `meta` then carries a verdict. */
  ranks?: boolean;
  /** Fields of `meta` specific to its replies. */
  meta?: z.ZodObject & z.ZodType<M>;
  /** True if a long reply is thinned for a model; `meta.thinned` then says so. */
  thins?: boolean;
  /** True if a call may ask an upstream, now or in the background. */
  fetches?: boolean;
  /** Number of characters that hosts are asked to keep, if replies are long by design. */
  longReply?: number;
  /** Non-existent arguments that callers try, each with a sentence on the alternative. */
  elsewhere?: Readonly<Record<string, string>>;
  /** The view that draws its replies, in hosts that support views. */
  view?: 'histories and events' | 'papers';
  /**
   * Rules that span several arguments, which a schema cannot express. Throws `invalid_request`; runs before
   * the balance is checked and before the handler.
   */
  check?(input: z.output<I>): void;
  // Method syntax on purpose: rows with different inputs then fit one readonly Operation[].
  handler(input: z.output<I>, context: Context): Promise<Reply<z.output<O>, M>>;
}

/** Declares a row with its types inferred. */
export function defineOperation<
  I extends z.ZodObject,
  O extends z.ZodType,
  M extends object = object,
>(operation: Operation<I, O, M>): Operation<I, O, M> {
  return operation;
}
