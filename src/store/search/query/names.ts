import { plainStems } from '../lexical/tokenise.ts';

/** Names that narrow a question, such as places and companies. */
export class Names {
  readonly #lines: readonly string[];
  readonly #economies: readonly string[];
  #groups: readonly ReadonlySet<string>[] | undefined;
  #byWord: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #ofEconomies: ReadonlySet<string> | undefined;

  /**
   * Each line has single words in lower case that name the same thing; the last line with a word
   * counts. `economies` are lines of the like, too. Stemmed on first use.
   */
  constructor({ economies = [], others = [] }: { economies?: string[]; others?: string[] }) {
    this.#lines = [...economies, ...others];
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
