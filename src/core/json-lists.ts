import * as z from 'zod';

const strings = z.array(z.string());

/** A list of strings that is stored as JSON; throws for anything else. */
export function readStrings(json: string): string[] {
  return strings.parse(JSON.parse(json));
}

/**
 * A list of at most `most` items whose validation ends with the first bad one: zod's own collects an
 * issue for each, which takes seconds for a megabyte of them.
 */
export function listOf<T extends z.ZodType>(item: T, most: number) {
  return z
    .array(z.unknown())
    .max(most)
    .transform((values, context) => {
      const items: z.output<T>[] = [];
      for (const value of values) {
        const parsed = item.safeParse(value);
        if (!parsed.success) {
          context.addIssue('has an invalid item');
          return z.NEVER;
        }
        items.push(parsed.data);
      }
      return items;
    });
}
