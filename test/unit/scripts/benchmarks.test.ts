import { describe, expect, it } from 'vitest';
import { figure, sectionTables } from '../../../scripts/bench/figures.ts';
import { describeMade } from '../../../scripts/bench/results.ts';

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
    const made = {
      command: 'npm run bench',
      day: '2026-11-22',
      node: '22.14.0',
      platform: 'linux x64',
      cpu: 'a processor',
      cores: 2,
      memoryGb: 8,
      load: 3,
    };
    expect(describeMade(made)).toContain('3.0, so other programs slowed it down');
    expect(describeMade({ ...made, load: 0.2 })).not.toContain('other programs');
  });
});
