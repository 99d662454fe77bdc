import { describe, expect, it } from 'vitest';
import { barsOf, namesOf } from '../../../../src/doors/views/bars.ts';

function market(question: string, probabilities: Record<string, number>, more = {}) {
  const outcomes = Object.entries(probabilities).map(([label, current_probability]) => ({
    label,
    current_probability,
  }));
  return { market_question: question, outcomes, status: 'active', volume: 100, ...more };
}

describe('bars', () => {
  it('of a single market are its outcomes, the likeliest first', () => {
    const bars = barsOf([market('Rate hike in 2026?', { Yes: 0.055, No: 0.945 })]);
    expect(bars.map(({ label, probability }) => [label, probability])).toEqual([
      ['No', 0.945],
      ['Yes', 0.055],
    ]);
  });

  it('of several markets are what each says yes to', () => {
    const bars = barsOf([
      market('Will 1 cut happen in 2026?', { Yes: 0.2, No: 0.8 }),
      market('Will 2 cuts happen in 2026?', { No: 0.7, yes: 0.3 }, { group_label: '2 (50 bps)' }),
    ]);
    expect(bars.map(({ label, probability }) => [label, probability])).toEqual([
      ['2 cuts', 0.3],
      ['1 cut', 0.2],
    ]);
  });

  it('of several markets with names for outcomes keep them all', () => {
    const bars = barsOf([
      market('Gold in May?', { Up: 0.6, Down: 0.4 }),
      market('Gold in June?', { Up: 0.1, Down: 0.9 }),
    ]);
    expect(bars.map(({ label }) => label)).toEqual([
      'June?: Down',
      'May?: Up',
      'May?: Down',
      'June?: Up',
    ]);
  });

  it('say what came true, and how far a probability moved', () => {
    const bars = barsOf([
      market('A?', { Yes: 1, No: 0 }, { winning_outcome: 'Yes', status: 'closed' }),
      market('B?', { Yes: 0, No: 1 }, { winning_outcome: 'No', status: 'closed' }),
    ]);
    expect(bars.map(({ isWinner, isClosed }) => [isWinner, isClosed])).toEqual([
      [true, true],
      [false, true],
    ]);
    const outcomes = [{ label: 'Yes', current_probability: 0.4, day_ago_probability: 0.35 }];
    expect(barsOf([{ ...market('A?', {}), outcomes }])[0]?.change).toBeCloseTo(5);
    expect(bars[0]?.change).toBeUndefined();
  });

  it('that are settled stand after those that are open', () => {
    const bars = barsOf([
      market('Will it be May?', { Yes: 1, No: 0 }, { winning_outcome: 'Yes', status: 'closed' }),
      market('Will it be June?', { Yes: 0.2, No: 0.8 }),
      market('Will it be July?', { Yes: 0.7, No: 0.3 }),
    ]);
    expect(bars.map(({ label }) => label)).toEqual(['July?', 'June?', 'May?']);
  });

  it('are none where there is no market', () => {
    expect(barsOf([])).toEqual([]);
  });
});

describe('names', () => {
  const named = (...questions: string[]) => namesOf(questions.map((each) => market(each, {})));

  it('are what the questions do not share', () => {
    expect(
      named('Will Tesla be the largest company?', 'Will Saudi Aramco be the largest company?'),
    ).toEqual(['Tesla', 'Saudi Aramco']);
    expect(named('Will BTC reach $1 by May?', 'Will BTC dip to $2 by May?')).toEqual([
      'Reach $1',
      'Dip to $2',
    ]);
  });

  it('are those that the source gives where that would be long', () => {
    const question = (name: string) => `Will they announce ${name} as the next chair?`;
    const [chair, nobody] = namesOf([
      market(question('Kevin Warsh'), {}, { group_label: 'Kevin Warsh' }),
      market('No announcement?', {}, { group_label: 'Nobody' }),
    ]);
    expect([chair, nobody]).toEqual(['Kevin Warsh', 'No announcement?']);
    expect(namesOf([market('A?', {}), market(question('Kevin Warsh'), {})])[1]).toBe(
      question('Kevin Warsh'),
    );
  });

  it('are whole questions where nothing else would be left', () => {
    expect(named('Recession?')).toEqual(['Recession?']);
    expect(named('Will it rain?', 'Will it rain?')).toEqual(['Will it rain?', 'Will it rain?']);
    expect(named('Up today', 'Up a lot today')).toEqual(['Up today', 'A lot']);
  });
});
