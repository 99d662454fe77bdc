import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { invalidRequest, type ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';

/** Argument names that agents know from other tools, and what they may mean here; the first that fits. */
const KNOWN_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  id: ['paperCardId', 'event_card_id', 'indicator'],
  query: ['q'],
  q: ['query'],
  search: ['query', 'q'],
  limit: ['topK'],
  count: ['topK', 'limit'],
  max_results: ['topK', 'limit'],
  arxiv_id: ['paperCardId'],
  name: ['indicator'],
  series: ['series_id'],
  start_time: ['start_date'],
  end_time: ['end_date'],
  start_date: ['start_time'],
  end_date: ['end_time'],
  from: ['start_date', 'start_time'],
  to: ['end_date', 'end_time'],
};
/** Most edits between a wrong name and the one that is suggested. */
const MAX_EDITS = 3;

/**
 * Checks a caller's arguments against an operation's schema. A null or an empty string on an optional
 * argument counts as absent, and what is plainly meant is taken (see `coerce`), although the published
 * schemas are strict. Throws `invalid_request` with a message that names the argument and says how to mend it.
 */
export function parseInput<I extends z.ZodObject>(
  operation: Pick<Operation<I>, 'name' | 'input'>,
  raw: unknown,
): z.output<I> {
  const input = raw ?? {};
  if (typeof input !== 'object' || Array.isArray(input)) {
    throw invalidRequest(`The arguments of ${operation.name} must be one JSON object.`);
  }
  const shape: Shape = operation.input.shape;
  const cleaned: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(input)) {
    const name = nameOf(written, shape, { ...input, ...cleaned });
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) {
      if (HOST_ARGUMENTS.has(written)) continue;
      throw unknownArgument(operation.name, written, shape, input);
    }
    if ((value === null || value === '') && unwrap(field) !== field) continue;
    cleaned[name] = coerce(field, value);
  }
  const result = operation.input.safeParse(cleaned);
  if (result.success) return result.data;
  throw explain(operation.name, shape, cleaned, result.error.issues[0]);
}

function unknownArgument(
  operation: string,
  name: string,
  shape: Readonly<Record<string, unknown>>,
  input: object,
): ServiceError {
  const names = Object.keys(shape);
  // The caller cannot have meant an argument that is given too.
  const free = names.filter((candidate) => !Object.hasOwn(input, candidate));
  const alike = Object.hasOwn(KNOWN_ELSEWHERE, name) ? KNOWN_ELSEWHERE[name] : [];
  const meant = alike?.find((right) => free.includes(right)) ?? nearest(name, free);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  const all = names.length > 0 ? ` Its arguments are: ${names.join(', ')}.` : '';
  return invalidRequest(
    `${operation} has no argument "${printable(name)}".${hint}${all}`,
    printable(name),
  );
}

/** The candidate closest to `name`, ignoring case; undefined if none is close enough. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0 || name.length > 64) return undefined;
  const lower = name.toLowerCase();
  const best = closest(
    lower,
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  const match = candidates.find((candidate) => candidate.toLowerCase() === best);
  return match !== undefined && editsWithin(lower, best) ? match : undefined;
}

/** Edits in more than a third of the letters make another word. */
function editsWithin(a: string, b: string): boolean {
  const letters = Math.max(a.length, b.length);
  return distance(a, b) <= Math.min(MAX_EDITS, Math.floor(letters / 3));
}

const SHORT = { most: 40 };

/** A caller's word made safe to quote: short, without control or invisible characters. */
export function printable(word: string, { most }: { most: number } = SHORT): string {
  return [...word.replace(/[\p{C}\p{Zl}\p{Zp}"`<>]/gu, '')].slice(0, most).join('');
}

function explain(
  operation: string,
  shape: Shape,
  input: Readonly<Record<string, unknown>>,
  issue: z.core.$ZodIssue | undefined,
): ServiceError {
  const name = String(issue?.path[0] ?? '');
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
  if (issue === undefined || field === undefined) {
    // A rule over several arguments brings its own message.
    return invalidRequest(issue?.message ?? `The arguments of ${operation} do not fit.`);
  }
  // Our own rules bring a whole sentence, or the end of one about this argument.
  if (issue.code === 'custom') {
    const whole = /^[A-Z]/.test(issue.message);
    return invalidRequest(whole ? issue.message : `"${name}" ${issue.message}.`, name);
  }
  if (input[name] === undefined) {
    return invalidRequest(`${operation} needs "${name}": ${describe(field)}.`, name);
  }
  if (input[name] === null) {
    return invalidRequest(`"${name}" must not be null: it is ${describe(field)}.`, name);
  }
  return invalidRequest(`"${name}" must be ${describe(field)}.`, name);
}

/** What a field takes, in words: "a whole number from 1 to 100". */
function describe(field: z.core.$ZodType): string {
  const schema = z.toJSONSchema(unwrap(field), { io: 'input' });
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  const { minimum, maximum } = schema;
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
      const bounded = (bound: number | undefined) =>
        bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
      if (bounded(minimum) && bounded(maximum)) return `${kind} from ${minimum} to ${maximum}`;
      return bounded(minimum) ? `${kind} of at least ${minimum}` : kind;
    }
    case 'array':
      return 'a list of strings';
    case 'string':
      return schema.maxLength === undefined
        ? 'a string'
        : `a string of at most ${schema.maxLength.toLocaleString('en-US')} characters`;
    default:
      return 'a value of another type';
  }
}

/**
 * Arguments that hosts add to every call by themselves, with where they come from. They are ignored;
 * every other unknown argument is an error.
 */
const HOST_ARGUMENTS: ReadonlySet<string> = new Set([
  // Gemini CLI: `addWaitForPreviousParameter` in packages/core/src/tools/tools.ts of
  // https://github.com/google-gemini/gemini-cli.
  'wait_for_previous',
  // n8n, before its MCP client kept to the schema: https://github.com/n8n-io/n8n/issues/21716.
  'toolCallId',
]);

const DECIMAL = /^-?\d+(\.\d+)?$/;
const stringList = z.array(z.string());

/** An operation's arguments by name. */
type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The field's own type under optional() and default(). */
export function unwrap(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? unwrap(field.unwrap())
    : field;
}

/** The argument that is meant by a name in any capitals; undefined if there is none, or it is given too. */
export function nameOf(written: string, shape: Shape, input: object): string | undefined {
  if (Object.hasOwn(shape, written)) return written;
  const folded = written.toLowerCase();
  return Object.keys(shape).find(
    (name) => name.toLowerCase() === folded && !Object.hasOwn(input, name),
  );
}

/**
 * What a value plainly means: an enum value in any case, a decimal string for a number or a number for a
 * string, one string or a list written as JSON for a list of strings. Anything else is left as it is, for
 * the schema to refuse.
 */
export function coerce(field: z.core.$ZodType, value: unknown): unknown {
  const type = unwrap(field);
  if (typeof value === 'number' && type instanceof z.ZodString) return String(value);
  if (typeof value !== 'string') return value;
  if (type instanceof z.ZodNumber) return DECIMAL.test(value) ? Number(value) : value;
  if (type instanceof z.ZodArray) return readList(value);
  if (!(type instanceof z.ZodEnum)) return value;
  const word = value.trim().toLowerCase();
  return type.options.find((option) => String(option).toLowerCase() === word) ?? value;
}

function readList(value: string): string[] {
  if (!value.trimStart().startsWith('[')) return [value];
  try {
    const list = stringList.safeParse(JSON.parse(value));
    return list.success ? list.data : [value];
  } catch {
    return [value];
  }
}
