import type { SynonymMatch } from '../lexical/synonyms.ts';
import { plainStems } from '../lexical/tokenise.ts';

const SCALES = [
  { factor: 1e3, forms: ['k', ' thousand'] },
  { factor: 1e6, forms: ['m', 'mn', ' million'] },
  { factor: 1e9, forms: ['b', 'bn', ' billion'] },
  { factor: 1e12, forms: ['t', 'tn', ' trillion'] },
] as const;
const NUMERALS: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value) => [word, value] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, at) => [word, 10 * (at + 2)] as const),
  ['a', 1],
  ['fifteen', 15],
  ['hundred', 100],
]);
const UNITS = SCALES.flatMap(({ forms }) => forms.map((form) => form.trim()));
const COUNTS = [...NUMERALS.keys()].filter((word) => !['zero', 'a', 'hundred'].includes(word));
const AMOUNT = new RegExp(
  `(?<![\\p{L}\\p{N}.,-])(?:(\\d+(?:[.,]\\d+)*)|(${COUNTS.join('|')}|a(?= (?:hundred|thousand|million|billion|trillion)\\b))(?: (hundred))?)(?: ?(${UNITS.join('|')}))?(?!-?[\\p{L}\\p{N}])`,
  'giu',
);

/** The amounts of a text with other ways to write them: "150k" for 150,000, "five" for 5. */
export function amountsIn(text: string): SynonymMatch[] {
  return [...text.matchAll(AMOUNT)].map(([whole, digits, numeral = '', hundred, scale]) => {
    const number =
      digits === undefined
        ? (NUMERALS.get(numeral.toLowerCase()) ?? 0) * (hundred === undefined ? 1 : 100)
        : Number(digits.replaceAll(',', ''));
    const unit = scale?.toLowerCase();
    const factor = SCALES.find(({ forms }) => forms.some((form) => form.trim() === unit))?.factor;
    const name = plainStems(whole);
    const others = formsOf(number * (factor ?? 1)).map(plainStems);
    return { name, others: others.filter((other) => other.join() !== name.join()) };
  });
}

function formsOf(value: number): string[] {
  const scaled = SCALES.filter(({ factor }) => value >= factor && value % (factor / 10) === 0);
  return [
    String(value),
    ...[...NUMERALS].filter(([word, one]) => one === value && word !== 'a').map(([word]) => word),
    ...scaled.flatMap(({ factor, forms }) => forms.map((form) => `${value / factor}${form}`)),
  ];
}
