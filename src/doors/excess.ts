/**
 * Most of each character in a message: a megabyte of members, each with its colon, took half a second to
 * read, one of nested lists 150 ms, and 10,000 empty objects where something else is due 300 ms to refuse,
 * one by one. Messages of hosts hold some hundred.
 */
const MOST: readonly (readonly [character: string, name: string, most: number])[] = [
  [':', 'colons', 10_000],
  ['{', 'braces', 2_000],
  ['[', 'brackets', 50_000],
  [',', 'commas', 50_000],
];

/**
 * What a message, unparsed, has too many of, such as "10,000 colons", as the limit; null if it is within
 * all. Those in strings count, too.
 */
export function findExcess(message: Buffer | string): string | null {
  const excess = MOST.find(([character, , most]) => holdsMore(message, character, most));
  return excess === undefined ? null : `${excess[2].toLocaleString('en-US')} ${excess[1]}`;
}

function holdsMore(message: Buffer | string, character: string, most: number): boolean {
  let count = 0;
  for (let at = message.indexOf(character); at >= 0; at = message.indexOf(character, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}
