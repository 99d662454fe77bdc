import { plainStems, type QueryStem } from './tokens.ts';

/** Two names of one thing: a short form, and the words it stands for. */
export type Synonym = readonly string[];

type Compiled = readonly (readonly string[][])[];
const compiled = new WeakMap<readonly Synonym[], Compiled>();

/**
 * The stems of a query with those of the other names of what it names, each once. A query that gives
 * both names gains nothing.
 */
export function addSynonyms(
  query: string,
  stems: readonly QueryStem[],
  synonyms: readonly Synonym[],
): QueryStem[] {
  const asked = ` ${plainStems(query).join(' ')} `;
  const says = (name: readonly string[]) => asked.includes(` ${name.join(' ')} `);
  const known = new Set(stems.map(({ stem }) => stem));
  const added = compile(synonyms).flatMap((names) =>
    names.some(says) ? names.filter((name) => !says(name)).flat() : [],
  );
  const fresh = [...new Set(added)].filter((stem) => !known.has(stem));
  return [...stems, ...fresh.map((stem) => ({ stem, isJoined: false }))];
}

function compile(synonyms: readonly Synonym[]): Compiled {
  const held = compiled.get(synonyms) ?? synonyms.map((names) => names.map(plainStems));
  compiled.set(synonyms, held);
  return held;
}
