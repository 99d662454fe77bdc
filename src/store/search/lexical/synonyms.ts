import { MAX_TERMS, plainStems, type QueryTerm } from './tokenise.ts';

/** A name found in a query, as stems, with the other names of the same thing. */
export interface SynonymMatch {
  name: readonly string[];
  others: readonly (readonly string[])[];
}

/** Names of the same thing. */
export interface SynonymGroup {
  /** Interchangeable ones. */
  names: readonly string[];
  /** Other words for it, which on a card may mean something else: "crypto exchange" for Kraken. */
  asked?: readonly string[];
}

/** Groups of names; stemmed on first use. */
export class Synonyms {
  readonly #groups: readonly SynonymGroup[];
  #byFirstStem: ReadonlyMap<string, readonly SynonymMatch[]> | undefined;

  constructor(groups: readonly SynonymGroup[]) {
    this.#groups = groups;
  }

  /** The names found in a query. */
  match(query: string): SynonymMatch[] {
    this.#byFirstStem ??= byFirstStem(this.#groups);
    const known = this.#byFirstStem;
    const stems = plainStems(query);
    const matches = stems.flatMap((first, at) =>
      (known.get(first) ?? []).filter(({ name }) =>
        name.every((stem, index) => stems[at + index] === stem),
      ),
    );
    return [...new Set(matches)];
  }
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

function byFirstStem(groups: readonly SynonymGroup[]): Map<string, SynonymMatch[]> {
  const matches = new Map<string, SynonymMatch[]>();
  // Most words stand in several names, and stemming takes most of the time.
  const known = new Map<string, string[]>();
  const stemsOf = (name: string) =>
    name.split(' ').flatMap((word) => {
      const stems = known.get(word) ?? plainStems(word);
      known.set(word, stems);
      return stems;
    });
  for (const group of groups) {
    const names = group.names.map(stemsOf);
    const asked = group.asked?.map(stemsOf) ?? [];
    for (const name of [...names, ...asked]) {
      const [first = ''] = name;
      const others = names.filter((other) => other !== name);
      matches.set(first, [...(matches.get(first) ?? []), { name, others }]);
    }
  }
  return matches;
}
