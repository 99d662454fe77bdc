/** Fast path: most English texts need no cleaning, and this test takes a tenth as long. */
const PLAIN = /^[\x20-\x7e\n]*$/;

/**
 * Invisible characters. Variation selectors, fillers and other ignorable characters can carry hidden text;
 * U+2800 is the blank Braille pattern.
 */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Removes invisible characters and surrounding white space from third-party text, but keeps line breaks. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text.trim();
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(HIDDEN, '')
    .trim();
}

/** Like `cleanText`, on one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ');
}

/** The text without case or accents, NFKD-normalised. */
export function foldCase(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** Normalises a name for comparison: lower case, NFKC, on one line. */
export function foldName(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, ' ');
}

/** A constant, because loading Intl's formatter would take longer than loading a whole area. */
export const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** Letters that NFKD does not decompose. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
);

/** The text in lower-case ASCII; characters without an equivalent become spaces. */
export function toAscii(text: string): string {
  return foldCase(text).replace(/[^\x20-\x7e]/gu, (letter) => LETTERS.get(letter) ?? ' ');
}

/** The first `most` code points of a text; splits no surrogate pair. */
export function firstPoints(text: string, most: number): string {
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('');
}

/** The text, cut off with "…" beyond `most` UTF-16 code units. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Do not split a surrogate pair.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Maximum length of a log line, in UTF-16 code units. */
const LOG_LINE = 4_000;

/** Turns any text into one log line, without characters that move the cursor or start a new line. */
export function toLogLine(text: string): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trimEnd(), LOG_LINE);
}

/** Lists up to ten paths for a log line, and counts the others. */
export function listPaths(paths: readonly string[]): string {
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : '';
  return `${paths.slice(0, 10).map(toLogLine).join(', ')}${more}`;
}

/**
 * Disables tags, links and images in a title or an abstract. The added space, unlike a backslash, is harmless
 * in formulas.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/<(?=[a-z!?/])|\](?=[([])/gi, '$& ');
}

/** Whether npx started this process from its cache, in which case `quantshelf` is not on the PATH. */
export const IS_NPX = /[\\/]_npx[\\/]/.test(import.meta.url);

/**
 * Adapts the commands in a message to this process: under npx, `quantshelf sync` becomes
 * `npx -y quantshelf sync`. Commands are in backticks, or in HTML in <code>.
 */
export function spellCommands(message: string): string {
  return IS_NPX ? message.replace(/(?<=`|<code>)(?=quantshelf )/g, 'npx -y ') : message;
}

/** "1 key", "2,500 keys". */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
