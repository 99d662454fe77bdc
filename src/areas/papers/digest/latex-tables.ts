import texFile from '../../../../data/tex.json' with { type: 'json' };

function mapOf(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table));
}

/** TeX's accents as combining characters. */
export const ACCENTS = mapOf(texFile.accents);

/** Commands for letters. */
export const LETTERS = mapOf(texFile.letters);

/** Text commands without an argument, and what they print; all others are dropped. */
export const SYMBOLS = mapOf({ ...texFile.signs, ...texFile.symbols });

/** Commands dropped along with their argument, such as references to what is not in the text. */
export const DROPPED =
  /^(?:cite\w*|[a-zA-Z]*ref|label|footnote\w*|thanks|input|include\w*|bibliography\w*|vspace|hspace|color)$/;

/** Math commands and the words that replace them; all others are dropped. */
export const COMMAND_WORDS = mapOf({
  ...Object.fromEntries(
    texFile.greek.flatMap((name) => [
      [name, name],
      [`var${name}`, name],
      [`${name[0]?.toUpperCase()}${name.slice(1)}`, name],
    ]),
  ),
  ...Object.fromEntries(texFile.functions.map((name) => [name, name])),
  ...texFile.signs,
  ...texFile.words,
});

/** Names of Greek letters, variants included, so that "σ" and "\sigma" are the same word. */
export const GREEK_NAMES = mapOf(texFile.greekNames);
