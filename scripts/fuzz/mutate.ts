/** Pseudo-random numbers in 0..1 that depend only on the seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The program bounds its time only for inputs below a megabyte. */
const MAX_BYTES = 1_000_000;
const TOKENS = [
  ...['<a>', '</a>', '<', '>', '&', '&#0;', '<!--', '<![CDATA[', ']]>', '<!DOCTYPE a [', '<?a?>'],
  ...['<record>', '<entry>', '<author><name>a</name></author>', '<math>', '<table>', '<select>'],
  ...['[', '{', ']', '}', '{"a":', '[],', '"",', '1e999', '"__proto__":{},', '\\u0000', '"'],
  ...[',', '\n', '\r', '9', '-', ' ', '\u0000', '$', '\\', '*', '`', '|'],
  ...[' obj\n', 'stream\n', 'endstream', '<<', '(', 'BT ', 'PK\u0005\u0006'],
];

type Change = (text: string, random: () => number) => string;

const CHANGES: readonly Change[] = [
  // Replaces one byte.
  (text, random) => put(text, random, 1, String.fromCharCode(Math.floor(random() * 256))),
  // Removes a part.
  (text, random) => put(text, random, Math.floor(random() * text.length), ''),
  // Drops the rest.
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  // Repeats a part.
  (text, random) => {
    const start = Math.floor(random() * text.length);
    const part = text.slice(start, start + 1 + Math.floor(random() ** 3 * text.length));
    return put(text, random, 0, part.repeat(times(part, random)));
  },
  // Inserts a token that is meaningful in one of the formats, once or repeatedly.
  (text, random) => {
    const token = TOKENS[Math.floor(random() * TOKENS.length)] ?? '<';
    return put(text, random, 0, token.repeat(times(token, random)));
  },
];

/** A copy with one to three changes; other bytes are unchanged. */
export function mutate(input: Buffer, random: () => number): Buffer {
  let text = input.toString('latin1');
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    const change = CHANGES[Math.floor(random() * CHANGES.length)];
    if (change !== undefined) text = change(text, random).slice(0, MAX_BYTES);
  }
  return Buffer.from(text, 'latin1');
}

function put(text: string, random: () => number, length: number, by: string): string {
  const at = Math.floor(random() * text.length);
  return text.slice(0, at) + by + text.slice(at + length);
}

/** Number of repetitions: usually a few, sometimes enough to fill the input. */
function times(part: string, random: () => number): number {
  const most = MAX_BYTES / Math.max(1, part.length);
  return Math.ceil(random() < 0.2 ? most : (random() * 10) ** 2 / 10);
}
