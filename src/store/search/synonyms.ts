import { MAX_STEMS, plainStems, type QueryStem } from './tokens.ts';

/** Two names of one thing: a short form, and the words it stands for. */
export type Synonym = readonly string[];

/** By the first stem of a name: what is said with it. */
type Compiled = ReadonlyMap<string, Saying[]>;
const compiled = new WeakMap<readonly Synonym[], Compiled>();

/** A name that a query says, as stems, and the other names of the same thing. */
export interface Saying {
  said: readonly string[];
  others: readonly (readonly string[])[];
}

/** What of `synonyms` a query says; where it says both names, each stands for the other. */
export function sayingsOf(query: string, synonyms: readonly Synonym[]): Saying[] {
  const asked = plainStems(query);
  const known = compile(synonyms);
  const sayings = asked.flatMap((first, at) =>
    (known.get(first) ?? []).filter(({ said }) =>
      said.every((stem, index) => asked[at + index] === stem),
    ),
  );
  return [...new Set(sayings)];
}

/**
 * The stems of a query with those of the other names of what it names, each once. A query that gives
 * both names gains nothing.
 */
export function addSynonyms(stems: readonly QueryStem[], sayings: readonly Saying[]): QueryStem[] {
  const known = new Set(stems.map(({ stem }) => stem));
  const said = new Set(sayings.map((saying) => saying.said));
  const added = sayings.flatMap(({ others }) => others.filter((name) => !said.has(name)).flat());
  const fresh = [...new Set(added)].filter((stem) => !known.has(stem));
  const all = [...stems, ...fresh.map((stem) => ({ stem, isJoined: false, isOther: true }))];
  return all.slice(0, MAX_STEMS);
}

function compile(synonyms: readonly Synonym[]): Compiled {
  const held = compiled.get(synonyms);
  if (held !== undefined) return held;
  const made = new Map<string, Saying[]>();
  for (const names of synonyms.map((group) => group.map(plainStems))) {
    for (const said of names) {
      const [first = ''] = said;
      const others = names.filter((name) => name !== said);
      made.set(first, [...(made.get(first) ?? []), { said, others }]);
    }
  }
  compiled.set(synonyms, made);
  return made;
}
