import type { z } from 'zod';
import type { Area } from './area.ts';
import type { Context } from './context.ts';
import type { ReplyMeta } from './envelope.ts';

export interface Reply<T, M extends object = object> {
  data: T;
  meta: ReplyMeta & M;
}

/**
 * One row of the operations table: everything about an operation, declared once. The doors, the command line,
 * the README and the published schemas all derive from it.
 */
export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  M extends object = object,
> {
  name: string;
  title: string;
  /**
   * What the operation does, then when to call another one instead. Hosts with tool search rank operations by
   * this text, and show about 155 characters of it.
   */
  description: string;
  /** Further search words, for hosts that read `anthropic/searchHint`. */
  searchHint?: string;
  area: Area;
  /** Credits that a successful call costs. */
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
  /** `meta` fields that only this operation's replies have. */
  meta?: z.ZodObject & z.ZodType<M>;
  /** True if long replies are thinned for a model and then have `meta.thinned`. */
  thins?: boolean;
  /** True if a call may cause a request to an upstream, at once or in the background. */
  fetches?: boolean;
  /** Length, in characters, up to which hosts are asked not to truncate replies that are long by design. */
  longReply?: number;
  /** Hints for non-existent arguments that callers try, by lower-case name. */
  elsewhere?: Readonly<Record<string, string>>;
  /** The view that displays the replies, in hosts that support views. */
  view?: 'histories and events' | 'papers';
  /** Throws `invalid_request` for combinations of arguments that the schema cannot rule out. */
  check?(input: z.output<I>): void;
  // Method syntax, so that rows with different inputs fit one readonly Operation[].
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
