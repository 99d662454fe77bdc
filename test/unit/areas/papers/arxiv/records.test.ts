import { describe, expect, it } from 'vitest';
import { spell } from '../../../../../src/areas/papers/arxiv/records.ts';

describe('the parts of a pattern', () => {
  it('are put in its place, with those that they have themselves', () => {
    const parts = { who: '(?:I|{they})', they: '(?:you|we)' };
    expect(spell('^{who} \\p{Lu}.{2,3}', parts)).toBe('^(?:I|(?:you|we)) \\p{Lu}.{2,3}');
  });

  it('are all known', () => {
    expect(() => spell('{whom}', { who: 'I' })).toThrow('"whom"');
  });
});
