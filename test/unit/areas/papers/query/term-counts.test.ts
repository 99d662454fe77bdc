import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termCounter } from '../../../../../src/areas/papers/query/term-counts.ts';
import { tokenise } from '../../../../../src/search/tokenise.ts';

/** How often `tokenise` finds each term, the slow way. */
function countAll(terms: readonly string[], text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of tokenise(text)) {
    if (terms.includes(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}

/** Words of which the stem begins otherwise, has another spelling, or is no plain word. */
const WORDS =
  `pricing price prices trading rating making probability probable tries buying money any
  ties using used aged aging Lévy Itô α β's behaviour behavior colour centre analyse
  analyses analysis axis axes taxes crisis crises indices matrices theses these grey
  gray sceptic aetiology anaemic haemorrhage paediatric oedema cheque S&P p-value e-mail U.K. U.S. US us
  USA 0.5 10.25 10-year non-linear nonlinear Black–Scholes dealer’s x_price ﬁnance ½ 波动率 C++ point
  long-only-fund q-fin.ST mid‐price metre sulphur realised
  2,000 $1,250,000 1,2 12,34 2,000.5`.split(/\s+/);
const words = fc.constantFrom(...WORDS);
const between = fc.constantFrom(' ', ' ', ', ', '. ', '\n', ' (', ') ', '—', '_', '/', '');

const texts = fc
  .array(fc.tuple(fc.oneof(words, fc.string({ unit: 'grapheme', maxLength: 4 })), between))
  .map((parts) => parts.flat().join(''));

describe('the counter of terms', () => {
  it('finds in any text what tokenising all of it finds', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), fc.array(texts), (asked, read) => {
        const terms = [...new Set(asked.flatMap(tokenise))];
        const count = termCounter(terms);
        for (const text of read) expect(count(text)).toEqual(countAll(terms, text));
      }),
      { numRuns: 100 },
    );
  });

  it.each(WORDS.filter((word) => tokenise(word).length > 0))('finds all terms of "%s"', (word) => {
    const terms = [...new Set(tokenise(word))];
    expect([...termCounter(terms)(`There, ${word}.`).keys()].sort()).toEqual(terms.toSorted());
  });

  it('reads the United States with a space as one word', () => {
    expect(termCounter(['usa'])('in the U. S. economy').get('usa')).toBe(1);
  });

  it('finds nothing where nothing is asked', () => {
    expect(termCounter([])('pricing').size).toBe(0);
  });
});
