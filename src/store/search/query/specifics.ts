import type { Names } from './names.ts';

/** Names of options, auctions and methods after places. */
const NAMED_AFTER =
  /\b(?:european|asian|russian|israeli|swiss|canadian|chinese)(?:[- ]style)? (?:[\p{L}-]+ ){0,2}(?:options?|calls?|puts?|swaptions?|exercise|claims?|payoffs?|warrants?|derivatives?|baskets?|vanillas?|contracts?)\b|\b(?:dutch (?:auctions?|books?|disease)|chinese (?:restaurant|walls?|remainder)|indian buffet|hungarian (?:algorithm|method)|japanese candle\w*|mexican hat|swiss roll|polish (?:spaces?|notation)|gold standard|rand (?:index|score|corporation)|sgd|horse race between|quantum field|ripple effects?|(?:outside(?: of)?|ex|non)[- ](?:the )?\p{L}+)\b/giu;

/**
 * The names that narrow a question about papers, each a set of stems of which a paper should contain one.
 * "CBDC adoption in Nigeria" is near to any paper on CBDC, which does not answer it.
 */
export function specificsOf(question: string, names: Names): ReadonlySet<string>[] {
  const words =
    question
      .replace(NAMED_AFTER, ' ')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return joined(words.flatMap((word) => names.ofWord(word) ?? []));
}

/** Groups that share a name as one: a paper about the Nikkei is about Japan. */
function joined(groups: readonly ReadonlySet<string>[]): Set<string>[] {
  const result: Set<string>[] = [];
  for (const group of groups) {
    const same = result.find((other) => [...group].some((stem) => other.has(stem)));
    if (same === undefined) result.push(new Set(group));
    else for (const stem of group) same.add(stem);
  }
  return result;
}
