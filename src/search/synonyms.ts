import { MAX_TERMS, plainStems } from './tokenise.ts';

/** A name in a query, as stems, and the other names of the same thing. */
export interface SynonymMatch {
  name: readonly string[];
  others: readonly (readonly string[])[];
}

export class Synonyms {
  readonly #lines: readonly string[];
  /** Keyed by first stem; built on the first query, because stemming takes a few milliseconds. */
  #byStart: Map<string, SynonymMatch[]> | undefined;

  /**
   * Each line lists names of one thing, in lower case. A query for a term after "<" also finds the names
   * before it, but not vice versa: "kraken, payward < crypto exchange".
   */
  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  match(query: string): SynonymMatch[] {
    const stems = plainStems(query);
    this.#byStart ??= groupByStart(this.#lines);
    const byStart = this.#byStart;
    const matches = stems.flatMap((start, at) =>
      (byStart.get(start) ?? []).filter(({ name }) =>
        name.every((stem, index) => stems[at + index] === stem),
      ),
    );
    return [...new Set(matches)];
  }
}

function groupByStart(lines: readonly string[]): Map<string, SynonymMatch[]> {
  const groups = new Map<string, SynonymMatch[]>();
  for (const line of lines) {
    const [names = [], words = []] = line
      .split(' < ')
      .map((part) => part.split(', ').map((name) => plainStems(name)));
    for (const name of [...names, ...words]) {
      const [start = ''] = name;
      const match = { name, others: names.filter((other) => other !== name) };
      groups.set(start, [...(groups.get(start) ?? []), match]);
    }
  }
  return groups;
}

/** Stems of the matches' other names, except stems and names that the query already has. */
export function stemsOfOthers(
  matches: readonly SynonymMatch[],
  stems: readonly string[],
): string[] {
  const names = new Set(matches.map(({ name }) => name.join(' ')));
  const others = matches.flatMap((match) => match.others);
  const added = new Set(others.filter((other) => !names.has(other.join(' '))).flat());
  for (const stem of stems) added.delete(stem);
  return [...added].slice(0, MAX_TERMS);
}

/** Raises the frequency of each stem of a name to that of the name's most frequent synonym. */
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
