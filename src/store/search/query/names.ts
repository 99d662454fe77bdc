import { plainStems } from '../lexical/tokenise.ts';

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

/** Words that narrow a question: names such as places and companies, and sides such as "above". */
export class Names {
  readonly #lines: readonly string[];
  readonly #economies: readonly string[];
  readonly #pairs: readonly (readonly string[])[];
  #sides: readonly (readonly ReadonlySet<string>[])[] | undefined;
  #groups: readonly ReadonlySet<string>[] | undefined;
  #byWord: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #ofEconomies: ReadonlySet<string> | undefined;

  /**
   * Each line has single words in lower case that name the same thing; the last line with a word
   * counts. `economies` are lines of the like, too; `pairs` are two lines of opposites each. Stemmed on
   * first use.
   */
  constructor({ economies = [], others = [], pairs = [] }: Lists) {
    this.#lines = [...economies, ...others];
    this.#pairs = pairs;
    this.#economies = economies;
  }

  /** The stems of each line. */
  get groups(): readonly ReadonlySet<string>[] {
    this.#groups ??= this.#lines.map((line) => new Set(plainStems(line)));
    return this.#groups;
  }

  /** The stems of all economies. */
  get economies(): ReadonlySet<string> {
    this.#ofEconomies ??= new Set(plainStems(this.#economies.join(' ')));
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
    this.#byWord ??= new Map(
      this.#lines.flatMap((line, at) =>
        line.split(' ').map((name) => [name, this.groups[at] ?? new Set<string>()] as const),
      ),
    );
    return this.#byWord.get(word) ?? this.#byWord.get(word.replace(/s$/u, ''));
  }
}
