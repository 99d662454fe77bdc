import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figure, sectionTables } from '../../../scripts/bench/figures.ts';
import { type Newcomer, renderNewcomer } from '../../../scripts/bench/results.ts';
import { readCommands, summarise, whyNotTyped } from '../../../scripts/bench/typed-commands.ts';

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

describe('the tables of docs/benchmarks.md', () => {
  const sections = [
    {
      title: 'Start',
      figures: [
        figure('fast', 'ms', [1, 2, 3], { of: 'p50', below: 5 }),
        figure('slow', 'ms', [7], { of: 'p50', below: 5 }),
        { ...figure('inner', 'ms', [4]), isDetail: true as const },
      ],
    },
    { title: 'Inner', figures: [{ ...figure('too', 'ms', [4]), isDetail: true as const }] },
  ];

  it('say which targets are missed, and leave details out', () => {
    const table = sectionTables(sections);
    expect(table).toContain('| fast | 2.00 ms | 3.00 ms | median below 5 ms: met |');
    expect(table).toContain('| slow | 7.00 ms |  | median below 5 ms: MISSED |');
    expect(table).not.toMatch(/inner/i);
  });

  it('say when the machine was busy', () => {
    const busy: Newcomer = { made, runs: [], notRun: [{ command: 'npm ci', reason: 'why' }] };
    expect(renderNewcomer(busy)).toContain('3.0, so other programs slowed it down');
    const quiet = { ...busy, made: { ...made, load: 0.2 } };
    expect(renderNewcomer(quiet)).not.toContain('other programs');
  });

  it('show what two versions of Node did differently', () => {
    const typed = { command: 'a | b', code: 0, said: 'done', seconds: 1 };
    const runs = [
      { programs: 'Node 22', typed: [typed] },
      { programs: 'Node 20', typed: [{ ...typed, code: 1, said: 'failed', seconds: 2 }] },
    ];
    const page = renderNewcomer({ made, runs, notRun: [] });
    expect(page).toContain('| `a \\| b` | 0, 1 | done<br>failed | 1.0 | 2.0 |');
  });
});

describe('the commands of the README', () => {
  it('are those of its blocks, exchanges and sentences, each once', () => {
    const text = [
      '```text\n$ npx -y quantshelf call a {}\nmeta.verdict   strong\n```',
      'Type `npx -y quantshelf doctor`, put `npx -y` before it, set `npx`.',
      '```sh\nnpx -y quantshelf sync papers    # the last year\n\nnpx -y quantshelf serve  # stays\n```',
      'Or `npx -y quantshelf doctor`; in a copy `npm ci && npm test`.',
    ].join('\n\n');
    const commands = readCommands(text);
    expect(commands.map(({ command }) => command)).toEqual([
      'npx -y quantshelf call a {}',
      'npx -y quantshelf doctor',
      'npx -y quantshelf sync papers',
      'npx -y quantshelf serve',
      'npm ci && npm test',
    ]);
    expect(commands.filter(({ isServer }) => isServer)).toHaveLength(1);
    const skipped = commands.filter(({ command }) => whyNotTyped(command) !== undefined);
    expect(skipped.map(({ command }) => command)).toEqual(['npm ci && npm test']);
  });

  it('were all typed, or it is said why not', () => {
    const page = readFileSync('docs/benchmarks.md', 'utf8');
    const part = page.slice(page.indexOf('<!-- newcomer -->'), page.indexOf('<!-- /newcomer -->'));
    const commands = readCommands(readFileSync('README.md', 'utf8'));
    expect(commands.length).toBeGreaterThan(15);
    const missing = commands.filter(({ command }) => !part.includes(`\`${command}\``));
    expect(missing.map(({ command }) => command)).toEqual([]);
  });

  it('are summed up by verdict and notice, or by their first line', () => {
    const reply = '{"meta":{"verdict":"strong","notice":"Old."},"data":[]}';
    expect(summarise(reply, '')).toBe('verdict strong; notice: Old.');
    expect(summarise('{"error":{"message":"No."}}', '')).toBe('error: No.');
    expect(summarise('\nfirst\nsecond', 'other')).toBe('first');
    expect(summarise('', 'other')).toBe('other');
    expect(summarise('{broken', '')).toBe('{broken');
    const long = summarise('word '.repeat(50), '');
    expect(long).toMatch(/ word …$/);
    expect(long.length).toBeLessThanOrEqual(120);
  });
});
