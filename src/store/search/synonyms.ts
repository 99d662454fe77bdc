import { MAX_STEMS, plainStems, type QueryStem } from './tokens.ts';

/** Two names of one thing: a short form, and the words it stands for. */
export type Synonym = readonly string[];

type Compiled = readonly (readonly string[][])[];
const compiled = new WeakMap<readonly Synonym[], Compiled>();

/** A name that a query says, as stems, and the other names of the same thing. */
export interface Saying {
  said: readonly string[];
  others: readonly (readonly string[])[];
}

/** What of `synonyms` a query says; where it says both names, each stands for the other. */
export function sayingsOf(query: string, synonyms: readonly Synonym[]): Saying[] {
  const asked = ` ${plainStems(query).join(' ')} `;
  return compile(synonyms).flatMap((names) =>
    names
      .filter((name) => asked.includes(` ${name.join(' ')} `))
      .map((said) => ({ said, others: names.filter((name) => name !== said) })),
  );
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
  const all = [...stems, ...fresh.map((stem) => ({ stem, isJoined: false }))];
  return all.slice(0, MAX_STEMS);
}

function compile(synonyms: readonly Synonym[]): Compiled {
  const held = compiled.get(synonyms) ?? synonyms.map((names) => names.map(plainStems));
  compiled.set(synonyms, held);
  return held;
}
