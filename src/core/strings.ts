import * as z from 'zod';

const strings = z.array(z.string());

/** A list of strings that is stored as JSON; throws for anything else. */
export function readStrings(json: string): string[] {
  return strings.parse(JSON.parse(json));
}
