import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { invalidRequest, type ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';
import { firstPoints, parseJson } from './text.ts';

/** Argument names that agents know from other tools, mapped to ours. */
const KNOWN_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['query', 'q'],
  ['q', 'query'],
  ['limit', 'topK'],
]);
/** Maximum number of edits between a wrong name and the suggested one. */
const MAX_EDITS = 3;

/**
 * Parses a caller's arguments more leniently than the published schema: null or an empty string for an
 * optional argument counts as absent, and values with an obvious meaning are coerced. Throws `invalid_request`
 * with a message that says how to fix the argument.
 */
export function parseInput<I extends z.ZodObject>(
  operation: Pick<Operation<I>, 'name' | 'input' | 'elsewhere'> & { example?: unknown },
  raw: unknown,
): z.output<I> {
  const input = raw ?? {};
  if (typeof input !== 'object' || Array.isArray(input)) {
    const such =
      operation.example === undefined ? '' : `, such as ${JSON.stringify(operation.example)}`;
    throw invalidRequest(`The arguments of ${operation.name} must be one JSON object${such}.`);
  }
  const shape: Shape = operation.input.shape;
  const cleaned: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(input)) {
    const name = nameOf(written, shape, { ...input, ...cleaned });
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) {
      if (HOST_ARGUMENTS.has(written)) continue;
      throw unknownArgument(operation, written, shape, input);
    }
    if ((value === null || value === '') && unwrap(field) !== field) continue;
    cleaned[name] = coerce(field, value);
  }
  const result = operation.input.safeParse(cleaned);
  if (result.success) return result.data;
  throw explain(operation.name, shape, cleaned, result.error.issues[0]);
}

function unknownArgument(
  operation: Pick<Operation, 'name' | 'elsewhere'>,
  name: string,
  shape: Readonly<Record<string, unknown>>,
  input: object,
): ServiceError {
  const other = new Map(Object.entries(operation.elsewhere ?? {})).get(name.toLowerCase());
  const names = Object.keys(shape);
  // An argument that is already present cannot be the intended one.
  const free = names.filter((candidate) => !Object.hasOwn(input, candidate));
  const meant =
    free.find((right) => right === KNOWN_ELSEWHERE.get(name)) ??
    free.find((right) => isPartOf(name, right)) ??
    nearest(name, free);
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  const hint = other === undefined ? guess : ` ${other}`;
  const all = names.length > 0 ? ` Its arguments are: ${names.join(', ')}.` : '';
  return invalidRequest(
    `${operation.name} has no argument "${printable(name)}".${hint}${all}`,
    printable(name),
  );
}

/** True if `name` is "id" and `argument` ends in "id", or if `name` is the argument's first word. */
function isPartOf(name: string, argument: string): boolean {
  return name.toLowerCase() === 'id' ? /id$/i.test(argument) : argument.startsWith(`${name}_`);
}

/** The candidate closest to `name`, ignoring case; undefined if none is close enough. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0 || name.length > 64) return undefined;
  const lower = name.toLowerCase();
  const best = closest(
    lower,
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  // Changing more than a third of the letters makes a different word.
  const third = Math.floor(Math.max(lower.length, best.length) / 3);
  if (distance(lower, best) > Math.min(MAX_EDITS, third)) return undefined;
  return candidates.find((candidate) => candidate.toLowerCase() === best);
}

/** Makes a caller's word safe to quote: short, without invisible characters, quotes or angle brackets. */
export function printable(word: string, most = 40): string {
  return firstPoints(word.replace(/[\p{C}\p{Zl}\p{Zp}"`<>]/gu, ''), most);
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
    // A rule that spans several arguments has its own message.
    return invalidRequest(issue?.message ?? `The arguments of ${operation} are invalid.`);
  }
  // Our own rules' messages are whole sentences, or continue a sentence that begins with the argument.
  if (issue.code === 'custom') {
    const whole = /^[A-Z]/.test(issue.message);
    return invalidRequest(whole ? issue.message : `"${name}" ${issue.message}.`, name);
  }
  const value = input[name];
  // The HTTP door makes a list of a repeated parameter.
  const isList = Array.isArray(value) && !(unwrap(field) instanceof z.ZodArray);
  const must = isList ? 'must be a single value, given once:' : 'must be';
  const needs = value === undefined ? `${operation} needs "${name}":` : `"${name}" ${must}`;
  return invalidRequest(`${needs} ${describe(field)}.`, name);
}

const KINDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  array: 'a list of strings',
  string: 'a string',
};

/** Describes the values that a field accepts: "a whole number from 1 to 100". */
function describe(field: z.core.$ZodType): string {
  const schema = z.toJSONSchema(unwrap(field), { io: 'input' });
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  const { type = '', minimum, maximum = Number.MAX_SAFE_INTEGER, maxLength } = schema;
  const kind = KINDS[String(type)] ?? `a value of type ${type}`;
  if (maxLength !== undefined) {
    return `${kind} of at most ${maxLength.toLocaleString('en-US')} characters`;
  }
  if (minimum === undefined) return kind;
  // zod limits whole numbers to safe integers.
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  return isOpen ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

/**
 * Arguments that hosts add to every call on their own. They are ignored; any other unknown argument is an
 * error.
 */
const HOST_ARGUMENTS: ReadonlySet<string> = new Set([
  // Gemini CLI: `addWaitForPreviousParameter` in packages/core/src/tools/tools.ts of
  // https://github.com/google-gemini/gemini-cli.
  'wait_for_previous',
  // n8n, before its MCP client respected the schema: https://github.com/n8n-io/n8n/issues/21716.
  'toolCallId',
]);

const stringList = z.array(z.string());
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** The types of an operation's arguments, by name. */
type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The field's own type under optional() and default(). */
function unwrap(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? unwrap(field.unwrap())
    : field;
}

/** The argument named exactly `written`, else one that differs only in case and is not in `input`. */
function nameOf(written: string, shape: Shape, input: object): string | undefined {
  if (Object.hasOwn(shape, written)) return written;
  const folded = written.toLowerCase();
  return Object.keys(shape).find(
    (name) => name.toLowerCase() === folded && !Object.hasOwn(input, name),
  );
}

/**
 * Coerces a value with an obvious meaning: an enum value in any case, a decimal string for a number or a number
 * for a string, one string or a JSON array as text for a list of strings. Returns any other value as it is.
 */
function coerce(field: z.core.$ZodType, value: unknown): unknown {
  const type = unwrap(field);
  if (typeof value === 'number' && type instanceof z.ZodString) return String(value);
  if (typeof value !== 'string') return value;
  if (type instanceof z.ZodNumber) return DECIMAL.test(value) ? Number(value) : value;
  if (type instanceof z.ZodArray) return stringList.safeParse(parseJson(value)).data ?? [value];
  if (!(type instanceof z.ZodEnum)) return value;
  const word = value.trim().toLowerCase();
  return type.options.find((option) => String(option).toLowerCase() === word) ?? value;
}
