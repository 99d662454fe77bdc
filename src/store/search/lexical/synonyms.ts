import { MAX_TERMS, plainStems, type QueryTerm, startOf } from './tokenise.ts';

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

/** A name that a query may contain, as stems. */
interface Candidate {
  name: readonly string[];
  group: SynonymGroup;
  /** Its place in the group. */
  at: number;
}

/** Groups of names. Few names begin as a word of a query does, and only those are stemmed. */
export class Synonyms {
  readonly #groups: readonly SynonymGroup[];
  /** Groups by the start of their names, until a query has it. */
  #unread: Map<string, Set<SynonymGroup>> | undefined;
  readonly #byFirstStem = new Map<string, Candidate[]>();
  /** Those of the names of each group that a query contained. */
  readonly #matches = new Map<SynonymGroup, SynonymMatch[]>();

  constructor(groups: readonly SynonymGroup[]) {
    this.#groups = groups;
  }

  /** The names found in a query. */
  match(query: string): SynonymMatch[] {
    const stems = plainStems(query);
    for (const start of new Set(['', ...stems.map(startOf)])) this.#read(start);
    const matches = stems.flatMap((first, place) =>
      (this.#byFirstStem.get(first) ?? [])
        .filter(({ name }) => name.every((stem, index) => stems[place + index] === stem))
        .flatMap(({ group, at }) => this.#matchesOf(group)[at] ?? []),
    );
    return [...new Set(matches)];
  }

  #read(start: string): void {
    this.#unread ??= byStart(this.#groups);
    for (const group of this.#unread.get(start) ?? []) {
      for (const [at, spelt] of spellingsOf(group).entries()) {
        if (startOf(spelt) !== start) continue;
        const name = plainStems(spelt);
        const [first = ''] = name;
        const same = this.#byFirstStem.get(first) ?? [];
        this.#byFirstStem.set(first, [...same, { name, group, at }]);
      }
    }
    this.#unread.delete(start);
  }

  #matchesOf(group: SynonymGroup): SynonymMatch[] {
    const known = this.#matches.get(group);
    if (known !== undefined) return known;
    const spellings = spellingsOf(group).map(plainStems);
    const names = spellings.slice(0, group.names.length);
    const matches = spellings.map((name) => ({
      name,
      others: names.filter((other) => other !== name),
    }));
    this.#matches.set(group, matches);
    return matches;
  }
}

function spellingsOf({ names, asked = [] }: SynonymGroup): string[] {
  return [...names, ...asked];
}

function byStart(groups: readonly SynonymGroup[]): Map<string, Set<SynonymGroup>> {
  const starts = new Map<string, Set<SynonymGroup>>();
  for (const group of groups) {
    for (const name of spellingsOf(group)) {
      const same = starts.get(startOf(name)) ?? new Set();
      starts.set(startOf(name), same.add(group));
    }
  }
  return starts;
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
