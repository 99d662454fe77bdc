import * as z from 'zod';
import { parseJson } from '../core/text.ts';
import { InvalidResponseError } from './failures.ts';

/** Parses a JSON body of an expected shape. Throws an InvalidResponseError whose message begins with `who`. */
export function readJson<T>(body: Buffer, shape: z.ZodType<T>, who: string): T {
  const value = parseJson(body.toString('utf8'));
  if (value === undefined) throw new InvalidResponseError(`${who} sent invalid JSON.`);
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidResponseError(`${who} sent a response of an unexpected shape.`);
}

/**
 * A list of at most `most` items. Validation stops at the first invalid item: zod's own arrays report each,
 * which takes seconds for a megabyte of invalid items.
 */
export function listOf<T extends z.ZodType>(item: T, most: number) {
  return z
    .array(z.unknown())
    .max(most)
    .transform((values, refinement) => {
      const items: z.output<T>[] = [];
      for (const value of values) {
        const parsed = item.safeParse(value);
        if (!parsed.success) {
          refinement.addIssue('has an invalid item');
          return z.NEVER;
        }
        items.push(parsed.data);
      }
      return items;
    });
}
