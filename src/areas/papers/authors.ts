import type { Database } from 'better-sqlite3';
import { toAscii } from '../../core/text.ts';
import { readDocumentFrequencies } from '../../search/lexical.ts';
import { isStopWord, plainStems } from '../../search/tokenise.ts';
import { paperIndex } from './tables.ts';

/*
 * Authors are looked up by keys: a word for the surname, and one each for the surname with the given
 * name, with its initial, and with the name before it. They are in a column of the index of their own, so
 * that a name is found as fast as a word, however many papers there are.
 */

const SUFFIX = /^(?:jr|sr|ii|iii)$/;

/** The keys of an author, who is written "Rama Cont" or "Cont, Rama". */
export function authorKeys(name: string): string[] {
  const { first, before, last } = partsOf(name);
  return last === ''
    ? []
    : [...new Set(['', first, first.charAt(0), before])].map((one) => keyOf(last, one));
}

/** FTS5 expression for the papers by an author as a question names him. */
export function expressionFor(name: string): string {
  const { first, last } = partsOf(name);
  // "Rama Cont" may be stored as "R. Cont".
  return `names : ("${keyOf(last, first)}" OR "${keyOf(last, first.charAt(0))}")`;
}

/** The authors whose given name and surname stand side by side in a question, as it spells them. */
export function findAuthors(db: Database, question: string): string[] {
  const words = (question.match(/\p{L}[\p{L}\p{M}'’]+(?:-[\p{L}\p{M}'’]+)*/gu) ?? []).filter(
    (word) => !isStopWord(word),
  );
  const pairs = words.slice(1).map((last, at) => {
    const name = `${words[at]} ${last}`;
    const { first, last: surname } = partsOf(name);
    return { name, key: keyOf(surname, first) };
  });
  const stored = readDocumentFrequencies(
    db,
    paperIndex.name,
    pairs.map(({ key }) => key),
  );
  return [...new Set(pairs.filter(({ key }) => stored.has(key)).map(({ name }) => name))];
}

function partsOf(name: string): { first: string; before: string; last: string } {
  const inOrder = name.replace(/^([^,]+), *(.+)$/u, '$2 $1').replace(/\.(?=\p{L})/gu, '. ');
  const words = toAscii(inOrder)
    .split(/[^a-z]+/u)
    .filter((word) => word !== '' && !SUFFIX.test(word));
  const [last = '', before = '', ...others] = words.toReversed();
  return { first: others.at(-1) ?? before, before, last };
}

/** As it is indexed; the digit keeps it apart from words. */
function keyOf(last: string, first: string): string {
  return plainStems(`${last}0${first}`)[0] ?? '';
}
