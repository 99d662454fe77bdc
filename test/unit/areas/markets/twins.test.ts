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

describe('the comparison of a question with an event', () => {
  it.each([
    ['the economy', 'Bank of Japan decision in March', 'Bank of England decision in March'],
    ['the company', 'Will Nvidia split its stock?', 'Will Tesla split its stock?'],
    ['the action', 'Will Apple acquire Perplexity?', 'Will Apple sue Perplexity?'],
    ['the month', 'Fed decision in June', 'Fed decision in July'],
    ['the year', 'US recession in 2027', 'US recession in 2026'],
    ['the number', 'Bitcoin above 150,000', 'Bitcoin above 120,000'],
    ['the quarter', 'Apple revenue in Q3', 'Apple revenue in Q2'],
    ['the rank', 'second largest company', 'largest company'],
    ['the maturity', '10-year yield', '30-year yield'],
    ['the side', 'Will the Fed raise rates?', 'Will the Fed cut rates?'],
  ])('finds a difference in %s between "%s" and "%s"', (_, question, other) => {
    expect(mismatches(question, question)).toBe(0);
    expect(mismatches(question, other)).toBeGreaterThan(0);
  });

  it.each([
    ['BoJ hike', 'Japan hike'],
    ['Fed cut before July', 'Fed cut by June 30'],
    ['recession before 2027', 'recession in 2026'],
    ['does gold rise or fall', 'gold falls'],
  ])('finds no difference between "%s" and "%s"', (question, title) => {
    expect(mismatches(question, title)).toBe(0);
  });

  it('accepts a date, but not a name, that only the description mentions', () => {
    expect(mismatches('ECB cut', 'Fed cut', 'unlike the ECB')).toBe(1);
    expect(mismatches('Fed cut in 2026', 'Fed cut', 'resolves in 2026')).toBe(0);
  });
});
