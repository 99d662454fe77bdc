import type { Area } from './area.ts';
import type { HeldShelf } from './context.ts';
import type { AnswerMeta } from './envelope.ts';

/** The variables of a template, or the arguments of a prompt, by name; none is blank. */
export type Values = Readonly<Record<string, string>>;

/** Most values that one completion may carry; the protocol's limit. */
export const MAX_COMPLETIONS = 100;

/**
 * What may stand for a variable of which `typed` has been typed, best first; `values` holds the
 * variables that are known. One value beyond MAX_COMPLETIONS says that there are more.
 */
export type Completer = (typed: string, shelf: HeldShelf, values: Values) => readonly string[];

/** One of the resources that a template stands for. */
interface ListedResource {
  uri: string;
  name: string;
  title: string;
}

/**
 * Something that is held, under a URI of its own: everything that is known about it, declared once.
 * The MCP door reads it and adds nothing.
 */
export interface Resource {
  name: string;
  title: string;
  description: string;
  /** Whose scope it needs; null where it shows of each area what the key may see. */
  area: Area | null;
  /** `quantshelf://…`; a segment in braces is a variable, as in RFC 6570. */
  uri: string;
  mimeType: string;
  /** How long a client may keep what it has read, in milliseconds. */
  ttlMs: number;
  /** Completers by variable. */
  complete?: Readonly<Record<string, Completer>>;
  /** Those of a template that are few enough to be listed. */
  list?(shelf: HeldShelf): ListedResource[];
  /** The text; throws `not_found` or `invalid_request` with a message that says how to mend it. */
  read(values: Values, shelf: HeldShelf): string;
}

/**
 * The text of a resource that is data: the envelope of an operation's answer without credits; without
 * `asOf` where nothing was ever refreshed, or each part at a time of its own.
 */
export function toJson(
  data: unknown,
  meta: Partial<Pick<AnswerMeta, 'asOf' | 'notice'>> = {},
): string {
  return JSON.stringify({ meta, data });
}
