import { describe, expect, it } from 'vitest';
import { compareEvents } from '../../../../src/areas/markets/twins.ts';
import { tokenise } from '../../../../src/search/tokenise.ts';

/** Number of names, dates and sides of a question that this title and description contradict. */
function mismatches(question: string, titled: string, described = ''): number {
  const [title, description] = [tokenise(titled), tokenise(described)];
  return compareEvents(question).countMismatches({
    title: title.join(' '),
    inFull: [title.join(' ')],
    says: (stem) => title.includes(stem),
    has: (stem) => title.includes(stem) || description.includes(stem),
  });
}

describe('an event compared with a question', () => {
  it.each([
    ['in an economy', 'Bank of Japan decision in March', 'Bank of England decision in March'],
    ['in a company', 'Will Nvidia split its stock?', 'Will Tesla split its stock?'],
    ['in an act', 'Will Apple acquire Perplexity?', 'Will Apple sue Perplexity?'],
    ['in a month', 'Fed decision in June', 'Fed decision in July'],
    ['in a year', 'US recession in 2027', 'US recession in 2026'],
    ['in a number', 'Bitcoin above 150,000', 'Bitcoin above 120,000'],
    ['in a quarter', 'Apple revenue in Q3', 'Apple revenue in Q2'],
    ['in a rank', 'second largest company', 'largest company'],
    ['in a maturity', '10-year yield', '30-year yield'],
    ['in its side', 'Will the Fed raise rates?', 'Will the Fed cut rates?'],
  ])('differs %s: %s', (_, question, other) => {
    expect(mismatches(question, question)).toBe(0);
    expect(mismatches(question, other)).toBeGreaterThan(0);
  });

  it.each([
    ['a name in another form', 'BoJ hike', 'Japan hike'],
    ['before a month', 'Fed cut before July', 'Fed cut by June 30'],
    ['before a year', 'recession before 2027', 'recession in 2026'],
    ['both sides', 'does gold rise or fall', 'gold falls'],
  ])('does not differ for %s: %s', (_, question, title) => {
    expect(mismatches(question, title)).toBe(0);
  });

  it('differs in a name, but not in a date, that only its description mentions', () => {
    expect(mismatches('ECB cut', 'Fed cut', 'unlike the ECB')).toBe(1);
    expect(mismatches('Fed cut in 2026', 'Fed cut', 'resolves in 2026')).toBe(0);
  });
});
