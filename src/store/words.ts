/** Tokens of a query beyond this many add cost and no meaning. */
const MAX_TOKENS = 64;

// Function words and the words of asking; kept short, since a stop word that is also a term of
// the field ("call", "put", "future") must stay.
const STOP_WORDS = new Set(
  `a about above after again all also am an and any anyone are as at be because been before being
  below between both but by can could did do does doing down during each few find for from further
  get give had has have having he her here hers him his how i if in into is it its itself just know
  like me more most much my no nor not of off on once only or other our out over own paper papers
  please research same she should show so some something study studies such tell than that the their
  them then there these they this those through to too under until up us use used using very was we
  were what when where which while who whom why will with would you your`
    .split(/\s+/)
    .filter(Boolean),
);

/**
 * The words of a query that carry meaning: lower case, without stop words, each once, in order.
 * When nothing but stop words was asked, those are kept.
 */
export function contentWords(query: string): string[] {
  const words =
    query
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const unique = [...new Set(words)];
  const content = unique.filter((word) => !STOP_WORDS.has(word));
  return (content.length > 0 ? content : unique).slice(0, MAX_TOKENS);
}

/** An FTS5 expression that any of the words satisfies. Quoting makes every operator a plain word. */
export function anyOf(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' OR ');
}
