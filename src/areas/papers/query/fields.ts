const NAME = '(?:"(?<quoted>[^"]+)"|(?<word>\\p{L}[\\p{L}_-]*))';
const AUTHOR = new RegExp(`(?<![\\p{L}\\p{N}/])(?:au|authors?)[:=]${NAME}`, 'giu');
const DATE = '\\d{4}(?:-\\d\\d){0,2}';
const PUBLISHED = new RegExp(
  `(?<![\\p{L}\\p{N}/])(?<field>year|date|published|since|after|before|until)[:=](?:\\[?(?<first>${DATE})(?: TO |\\.\\.|-)(?<last>${DATE})\\]?|(?<one>${DATE}))`,
  'giu',
);

type Groups = Record<string, string | undefined>;

/** Authors and dates in the fields of a search engine, "author:cont year:2020", in words. */
export function spellFields(question: string): string {
  return question
    .replace(AUTHOR, (...match) => {
      const { quoted, word = '' }: Groups = match.at(-1);
      const name = (quoted ?? word).replaceAll('_', ' ');
      return ` author: ${name.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())}, `;
    })
    .replace(PUBLISHED, (...match) => {
      const { field = '', first, last, one }: Groups = match.at(-1);
      if (first !== undefined) return ` published from ${first} to ${last}, `;
      const how = /^(?:year|date|published)$/iu.test(field) ? 'in' : field.toLowerCase();
      return ` published ${how} ${one}, `;
    });
}
