import * as z from 'zod';

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
