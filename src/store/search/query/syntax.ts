import { subjectWords } from './words.ts';

/** A tool's arguments, pasted as a question, and the one that is asked. */
const PASTED =
  /^\s*\{(?:[^{}]*,)?\s*"(?:query|q|question|text|indicator|series_id)"\s*:\s*(?<asked>"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))+")/u;
const WIDE = /[\uff01-\uff5e\u3000]+/gu;
const ADDRESS = /\bhttps?:\/\/\S+/giu;
const VALUE =
  '(?:"(?<quoted>[^"]+)"|\\((?<listed>[^()]+)\\)|(?<word>[\\p{L}\\p{N}][\\p{L}\\p{N}_.&-]*))';
/** What a minus may stand before; no two alternatives begin alike. */
const ITEM = '(?:"[^"]*"|\\([^()]*\\)|\\p{L}\\S*)';
/** What is joined to the next word: "log -returns" is a misprint. */
const JOINED =
  '(?<!\\b(?:co|cross|first|high|inter|intra|log|long|low|mean|mid|multi|non|quasi|second|semi|three|two|zero) )';
/** NOT in capitals, or a minus before one of the last words: "mean -variance models" is a misprint. */
const DENIED = new RegExp(
  `(?:\\b(?:AND ?|OR )?NOT |(?<=\\S\\S )${JOINED}-(?=${ITEM}(?:\\s+[-+]${ITEM})*\\s*$))${VALUE}(?: (?:AND|OR)\\b)?`,
  'gu',
);
/** Fields of a search engine; what follows a space may be of a title. */
const FIELD =
  /(?<![\p{L}\p{N}/])(?:ti|title|intitle|abs|abstract|all|any|text|body|keywords?|topic|subject|query|q|cat|category|tags?|asset|year|date)[:=](?=["(\p{L}\p{N}])/giu;

/** A question in the syntax of search engines, an address or a tool's arguments, in plain words. */
export function withoutSyntax(question: string): string {
  const pasted = PASTED.exec(question)?.groups?.asked;
  const asked = pasted === undefined ? question : String(JSON.parse(pasted)).replace(/\s+/gu, ' ');
  const text = asked.replace(WIDE, (letters) => letters.normalize('NFKC')).replace(FIELD, '');
  // In a question all in capitals NOT is a word like any other.
  const plain = /\p{Ll}/u.test(text)
    ? text.replace(DENIED, (...found) => {
        const { quoted, listed, word }: Record<string, string | undefined> = found.at(-1);
        return `, not ${(quoted ?? listed ?? word ?? '').replace(/\b(?:AND|OR)\b/gu, 'or')}; `;
      })
    : text;
  const wanted = plain.replace(/(?<=\s)\+(?=["\p{L}])/gu, '');
  const bare = wanted.replace(ADDRESS, ' ').trim();
  return subjectWords(bare) > 0 ? bare : wanted;
}
