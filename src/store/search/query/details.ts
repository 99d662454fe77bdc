import { plainStems } from '../lexical/tokenise.ts';

/**
 * What an event must share with a question to answer it: a year, a number, a month, an economy.
 * "Bank of Japan in March" is near to "Bank of England in May" for any model.
 */

/** Names of the same economy; the United States go without saying. */
const ECONOMIES = [
  'uk britain british england gilt boe',
  'ecb euro eurozone europe european',
  'germany german bund',
  'france french',
  'italy italian',
  'spain spanish',
  'switzerland swiss snb',
  'japan japanese jgb boj',
  'china chinese pboc yuan',
  'india indian rbi rupee',
  'canada canadian boc',
  'australia australian rba',
  'korea korean bok',
  'russia russian ruble',
  'turkey turkish lira',
  'brazil brazilian',
  'mexico mexican banxico',
  'argentina argentine',
].map((names) => new Set(plainStems(names)));
const MONTH =
  /\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|by|before|until|since|early|late|end of) may\b|\bmay (?=\d)/giu;
/** Not that of "10-year" or "Q3", which cards spell in other ways. */
const NUMBER =
  /(?<![\p{L}\d.,])\d+(?:[.,]\d+)*(?![\d.,]*[\p{L}\d])(?!.?(?:year|month|week|day|y\b))/giu;

/** The details of a question; each is a set of stems, of which a card should contain one. */
export function detailsOf(question: string): ReadonlySet<string>[] {
  const months = (question.match(MONTH) ?? []).map((month) => month.trim().split(' ').at(-1) ?? '');
  const numbers = question.match(NUMBER) ?? [];
  const exact = [...new Set(plainStems([...months, ...numbers].join(' ')))];
  const stems = plainStems(question);
  const economies = ECONOMIES.filter((names) => stems.some((stem) => names.has(stem)));
  return [...exact.map((stem) => new Set([stem])), ...economies];
}
