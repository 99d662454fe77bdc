/** Common words that English lacks; what other languages share with it tells nothing. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  German:
    `aber als auch auf aus an bei beim bis das dem den der des die dies diese durch ein eine einem einen
    einer eines für gegen gibt große großen großer haben ich in ist kein keine mit nach nicht oder ohne sich sie sind
    über um und unter vom von vor man es wir noch nur hat sein soll kann können wurde wann warum welche
    welchen welcher wenn werden wie wird wirken zu zum zur zwischen`.split(/\s+/),
  French:
    `a au aux avec ce ces cette comment dans de des du elle entre est et être il la le les leur leurs mais
    ne ou où par pas plus pour pourquoi quand que quel quelle quelles quels qui sans selon ses son sont
    sur très un une vers nous vous ils peut fait faut`.split(/\s+/),
  Spanish:
    `a al cómo como con cuál cuáles cuándo cuando de del desde donde dónde e el en entre es está esta este
    estos la las lo los más mas mediante para pero por porque qué que se según sin sobre son su sus
    un una unas unos y hay ha han puede pueden hace`.split(/\s+/),
  Italian:
    `al alla anche che chi come con da dal dalla degli dei del della delle di e è fra gli il in la le lo
    nel nella nelle nei non o perché più per quale quali quando sono su sul sulla tra un una`.split(
      /\s+/,
    ),
  Portuguese:
    `ao aos as com como da das de do dos e é em entre estão mais na nas no nos não o os ou para pela
    pelo por porque qual quais quando que são se sem sobre um uma`.split(/\s+/),
};
/** Words as they are in a language, which tell it from another with as many common words. */
const LIKELY: Readonly<Record<string, RegExp>> = {
  German: /[äöüß]|(?:en|er|ung|keit)$/u,
  French: /[àâçèêîôœùû]|(?:es?|eux|aux|tion)$/u,
  Spanish: /[áíñóú]|(?:[ao]s?|ci[oó]n|ciones|dad)$/u,
  Italian: /[àìò]|(?:[aeio]|zione)$/u,
  Portuguese: /[ãõ]|(?:[ao]s?|dade)$/u,
};
const ENGLISH = new Set(
  `a an and are as at be between by can do does for from has have how if in into is it its not of on or
  over than that the their to under versus vs was what when which who why will with without`.split(
    /\s+/,
  ),
);
const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Chinese', /\p{Script=Han}/gu],
  ['Korean', /\p{Script=Hangul}/gu],
  ['Russian', /\p{Script=Cyrillic}/gu],
  ['Arabic', /\p{Script=Arabic}/gu],
  ['Hindi', /\p{Script=Devanagari}/gu],
];
/**
 * What is said in English, too: a clause's "no", "et al.", "e.g.", "de facto", "à la Heston", "e-money",
 * "sin stocks", JEL's "e44", and the particles of names.
 */
const ENGLISH_USE = new RegExp(
  [
    '(?<=^|[,;.:!?(] ?|\\b(?:and|but|or) )[Nn]o\\b',
    '\\b(?:et al|[ei]\\.[eg]|de (?:facto|jure|novo|minimis)|los angeles|las vegas)\\b',
    '\\be-|\\bsin (?=stocks?\\b|tax|good|industr)|\\p{L}\\p{N}+',
    '(?<!\\p{L})[aà] la (?=\\p{Lu})',
    '(?<=^|\\p{Lu}\\p{L}* )(?:del|(?:de|v[ao]n) (?:la|los|las|de[nr])) (?=\\p{Lu})',
  ].join('|'),
  'gu',
);
/** Letters of a script that are no mere quotation. */
const LETTERS = 3;
const ACCENTED = /[\u00df-\u00f6\u00f8-\u00ff]/u;
/** Words of a language that are no accident. */
const EVIDENCE = 2;

/** The language of a question where it is surely not English, by its script or its common words. */
export function foreignLanguageOf(text: string): string | null {
  const script = SCRIPTS.find(([, letters]) => (text.match(letters) ?? []).length >= LETTERS);
  if (script !== undefined) return script[0];
  const words =
    text
      .replace(ENGLISH_USE, ' ')
      .normalize('NFC')
      .match(/\p{L}+/gu) ?? [];
  // Names of places and people are written with capitals: De Nederlandsche Bank, El Niño.
  const plain = words.map((word, at) => (at === 0 ? word.toLowerCase() : word));
  const counts = Object.entries(WORDS)
    .map(([language, own]) => ({
      language,
      count: plain.filter((word) => own.includes(word) && !ENGLISH.has(word)).length,
      english: plain.filter((word) => ENGLISH.has(word) && !own.includes(word)).length,
      likely: plain.filter((word) => !own.includes(word) && LIKELY[language]?.test(word)).length,
    }))
    .sort((a, b) => b.count - a.count || b.likely - a.likely);
  const [best] = counts;
  if (best === undefined || best.count <= best.english) return null;
  if (best.count >= EVIDENCE) return best.language;
  // One word and a letter that English lacks, in a word that is not a name; German writes all nouns large.
  const accented = plain.filter((word) => ACCENTED.test(word));
  const isPlain = best.language === 'German' || accented.some((word) => /^\p{Ll}/u.test(word));
  return best.count > 0 && accented.length > 0 && isPlain ? best.language : null;
}
