import { plainStems, startOf } from '../lexical/tokenise.ts';

/** What a question says, against what a title says that does not answer it. */
export interface Opposite {
  said: ReadonlySet<string>;
  contrary: ReadonlySet<string>;
}

interface Lists {
  economies?: string[];
  others?: string[];
  pairs?: string[][];
}

/**
 * Words that narrow a question: names such as places and companies, and sides such as "above". Stemmed
 * where a question may have them.
 */
export class Names {
  readonly #lines: readonly string[];
  readonly #economies: readonly string[];
  readonly #pairs: readonly (readonly string[])[];
  readonly #groups = new Map<string, ReadonlySet<string>>();
  #sides: readonly (readonly ReadonlySet<string>[])[] | undefined;
  #lineOf: ReadonlyMap<string, string> | undefined;
  #ofEconomies: ReadonlySet<string> | undefined;

  /**
   * Each line has single words in lower case that name the same thing; the last line with a word
   * counts. `economies` are lines of the like, too; `pairs` are two lines of opposites each.
   */
  constructor({ economies = [], others = [], pairs = [] }: Lists) {
    this.#lines = [...economies, ...others];
    this.#pairs = pairs;
    this.#economies = economies;
  }

  /** The stems of each line that has one of these. */
  groupsOf(stems: readonly string[]): ReadonlySet<string>[] {
    const starts = new Set(['', ...stems.map(startOf)]);
    return this.#lines
      .filter((line) => line.split(' ').some((word) => starts.has(startOf(word))))
      .map((line) => this.#groupOf(line))
      .filter((group) => stems.some((stem) => group.has(stem)));
  }

  #groupOf(line: string): ReadonlySet<string> {
    const group = this.#groups.get(line) ?? new Set(plainStems(line));
    this.#groups.set(line, group);
    return group;
  }

  /** The stems of all economies. */
  get economies(): ReadonlySet<string> {
    this.#ofEconomies ??= new Set(this.#economies.flatMap((line) => [...this.#groupOf(line)]));
    return this.#ofEconomies;
  }

  /** The sides that the stems of a question take, but for pairs of which it names both. */
  oppositesOf(stems: readonly string[]): Opposite[] {
    this.#sides ??= this.#pairs.map((sides) => sides.map((line) => new Set(plainStems(line))));
    return this.#sides.flatMap((sides) => {
      const [said, ...both] = sides.filter((side) => stems.some((stem) => side.has(stem)));
      const contrary = sides.find((side) => side !== said);
      if (said === undefined || contrary === undefined || both.length > 0) return [];
      return [{ said, contrary }];
    });
  }

  /** The stems of the line with a word or its singular. */
  ofWord(word: string): ReadonlySet<string> | undefined {
    this.#lineOf ??= new Map(
      this.#lines.flatMap((line) => line.split(' ').map((name) => [name, line] as const)),
    );
    const line = this.#lineOf.get(word) ?? this.#lineOf.get(word.replace(/s$/u, ''));
    return line === undefined ? undefined : this.#groupOf(line);
  }
}
