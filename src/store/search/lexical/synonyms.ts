import { MAX_TERMS, plainStems, type QueryTerm } from './tokenise.ts';

/** A name found in a query, as stems, with the other names of the same thing. */
export interface SynonymMatch {
  name: readonly string[];
  others: readonly (readonly string[])[];
}

/** Of one letter, such as that of M&A: its stem may begin otherwise. */
const INITIAL = '.[&.]';

/** Names of the same things. Few of them begin as a word of a query does, and only those are stemmed. */
export class Synonyms {
  readonly #lines: readonly string[];
  readonly #stems = new Map<string, readonly string[]>();

  /**
   * A line is "kraken, payward < crypto exchange": names of the same thing in lower case, and after "<"
   * other words for it, which on a card may mean something else.
   */
  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The names found in a query. */
  match(query: string): SynonymMatch[] {
    const stems = plainStems(query);
    if (stems.length === 0) return [];
    const starts = [...new Set(stems.map(startOf))].join('|');
    const likely = new RegExp(`(?:^|, |< )(?:${INITIAL}|${starts})[^,<]*`, 'gu');
    return this.#lines.flatMap((line) => {
      const spelt = line.match(likely) ?? [];
      const found = spelt
        .map((one) => this.#stemsOf(one.replace(/^(?:, |< )/u, '').trim()))
        .filter((name) => isWithin(stems, name));
      if (found.length === 0) return [];
      const [names = ''] = line.split(' < ');
      const all = names.split(', ').map((one) => this.#stemsOf(one));
      return found.map((name) => ({ name, others: all.filter((other) => other !== name) }));
    });
  }

  #stemsOf(name: string): readonly string[] {
    const stems = this.#stems.get(name) ?? plainStems(name);
    this.#stems.set(name, stems);
    return stems;
  }
}

/** How words with this stem begin, as a pattern; the end of a stem may differ from the word's. */
function startOf(stem: string): string {
  if (stem.length < 3) return `${stem}\\w{0,3}\\b`;
  return stem.slice(0, stem.length < 6 ? -1 : -2);
}

function isWithin(stems: readonly string[], name: readonly string[]): boolean {
  return stems.some((_, at) => name.every((stem, index) => stems[at + index] === stem));
}

/**
 * The terms of a query and of its synonyms, each once. A synonym that the query itself contains is
 * not added again.
 */
export function addSynonyms(
  terms: readonly QueryTerm[],
  matches: readonly SynonymMatch[],
): QueryTerm[] {
  const known = new Set(terms.map(({ term }) => term));
  const present = new Set(matches.map(({ name }) => name));
  const added = matches.flatMap(({ others }) => others.filter((name) => !present.has(name)).flat());
  const fresh = [...new Set(added)].filter((stem) => !known.has(stem));
  const all = [
    ...terms,
    ...fresh.map((term) => ({ term, isCompound: false, parts: [], isSynonym: true })),
  ];
  return all.slice(0, MAX_TERMS);
}

/** A card that has another name of something has it under the name that the query uses. */
export function raiseNames(
  frequencies: Map<string, number>,
  synonyms: readonly SynonymMatch[],
): void {
  const raised = synonyms.flatMap(({ name, others }) => {
    const counts = others.map((other) =>
      Math.min(...other.map((stem) => frequencies.get(stem) ?? 0)),
    );
    return name.map((stem) => [stem, Math.max(...counts)] as const);
  });
  for (const [stem, count] of raised) {
    if (count > (frequencies.get(stem) ?? 0)) frequencies.set(stem, count);
  }
}
