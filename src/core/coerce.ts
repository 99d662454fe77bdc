import * as z from 'zod';

/**
 * Arguments that hosts add to every call by themselves, with where they come from. They are ignored;
 * every other unknown argument is an error.
 */
export const HOST_ARGUMENTS: ReadonlySet<string> = new Set([
  // Gemini CLI: `addWaitForPreviousParameter` in packages/core/src/tools/tools.ts of
  // https://github.com/google-gemini/gemini-cli.
  'wait_for_previous',
  // n8n, before its MCP client kept to the schema: https://github.com/n8n-io/n8n/issues/21716.
  'toolCallId',
]);

const DECIMAL = /^-?\d+(\.\d+)?$/;
const stringList = z.array(z.string());

/** An operation's arguments by name. */
export type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The field's own type under optional() and default(). */
export function unwrap(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? unwrap(field.unwrap())
    : field;
}

/** The argument that is meant by a name in any capitals; undefined if there is none, or it is given too. */
export function nameOf(written: string, shape: Shape, given: object): string | undefined {
  if (Object.hasOwn(shape, written)) return written;
  const folded = written.toLowerCase();
  return Object.keys(shape).find(
    (name) => name.toLowerCase() === folded && !Object.hasOwn(given, name),
  );
}

/**
 * What a value plainly means: an enum value in any case, a decimal string for a number, one string or
 * a list written as JSON for a list of strings. Anything else is left as it is, for the schema to
 * refuse.
 */
export function coerce(field: z.core.$ZodType, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const type = unwrap(field);
  if (type instanceof z.ZodNumber) return DECIMAL.test(value) ? Number(value) : value;
  if (type instanceof z.ZodArray) return readList(value);
  if (!(type instanceof z.ZodEnum)) return value;
  const wanted = value.trim().toLowerCase();
  return type.options.find((option) => String(option).toLowerCase() === wanted) ?? value;
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
