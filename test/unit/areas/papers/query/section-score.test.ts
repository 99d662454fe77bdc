import { describe, expect, it } from 'vitest';
import { scoreSection } from '../../../../../src/areas/papers/query/section-score.ts';

describe('the score of a section', () => {
  it.each(['abstract', 'introduction', 'conclusion'])(
    'puts a section on the subject before the %s that mentions it about as closely',
    (general) => {
      expect(scoreSection('methods', [0.6, 0.2])).toBeGreaterThan(
        scoreSection(general, [0.63, 0.2]),
      );
      expect(scoreSection('methods', [0.4, 0.2])).toBeLessThan(scoreSection(general, [0.63, 0.2]));
    },
  );

  it('grants a long section no advantage for its many passages', () => {
    const long = [0.62, ...Array.from({ length: 49 }, () => 0.2)];
    expect(scoreSection('results', [0.6])).toBeGreaterThan(scoreSection('appendix', long));
    expect(scoreSection('results', [0.5])).toBeLessThan(scoreSection('appendix', long));
  });

  it('counts the best passage, wherever it stands', () => {
    expect(scoreSection('results', [0.1, 0.7])).toBe(scoreSection('results', [0.7, 0.1]));
  });
});
