import { describe, expect, it } from 'vitest';
import { describeRun, figure, sectionTables } from '../../../scripts/bench/figures.ts';

describe('the tables of docs/benchmarks.md', () => {
  it('say which targets are missed', () => {
    const table = sectionTables([
      {
        title: 'Start',
        figures: [
          figure('fast', 'ms', [1, 2, 3], { of: 'p50', below: 5 }),
          figure('slow', 'ms', [7], { of: 'p50', below: 5 }),
        ],
      },
    ]);
    expect(table).toContain('| fast | 2.00 ms | 3.00 ms | median below 5 ms: met |');
    expect(table).toContain('| slow | 7.00 ms |  | median below 5 ms: MISSED |');
  });

  it('say when the machine was busy', () => {
    expect(describeRun('npm run bench', 100)).toContain('100.0, so other programs slowed it down');
    expect(describeRun('npm run bench', 0)).not.toContain('other programs');
  });
});
