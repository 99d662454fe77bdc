import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { macroIndicatorSearch } from '../../src/areas/macro/operations.ts';
import { macroMigrations } from '../../src/areas/macro/tables.ts';
import type { Context } from '../../src/core/context.ts';
import { migrate } from '../../src/store/migrations.ts';
import { Database } from '../../src/store/sqlite.ts';
import { offline } from '../../test/context.ts';
import { readStarterMacro } from '../starter/macro.ts';
import { fillMacro } from '../starter/macro-fill.ts';
import { AT, type Judged, readEval } from './collections.ts';
import { mean } from './measures.ts';

/** What `macro_indicator_search` returns for judged questions, and what its notice names. */

const questionFile = z.array(
  z.strictObject({
    query: z.string(),
    kind: z.string(),
    half: z.enum(['train', 'test']),
    relevant: z.record(z.string(), z.number()),
    /** Indicators that the notice may name for one that is not held. */
    near: z.array(z.string()).default([]),
  }),
);

type Question = z.infer<typeof questionFile>[number];

interface Reply extends Question {
  returned: readonly string[];
  notice: string;
  /** Indicators in the notice. */
  named: readonly string[];
}

/** How often the right indicator is returned or named, and what is said of those that are not held. */
export async function macroTable(half: Judged['half']): Promise<string[]> {
  const replies = await askAll(half);
  const held = replies.filter(({ relevant }) => Object.keys(relevant).length > 0);
  const others = replies.filter((reply) => !held.includes(reply));
  const nearby = others.filter(({ near }) => near.length > 0);
  const places = held.map(placesOf);
  const count = (outcome: string) => String(places.filter((place) => place.has(outcome)).length);
  const row = (head: string, cells: readonly string[]) =>
    head.padEnd(34) + cells.map((cell) => cell.padStart(17)).join('');
  return [
    row(`macro indicators, ${half}`, [
      ...['first', 'found', 'all of the best', 'notice only', 'neither', 'others only'],
      'mean returned',
    ]),
    row(`held (${held.length})`, [
      ...['first', 'found', 'all', 'notice', 'neither', 'others'].map(count),
      mean(held.map(({ returned }) => returned.length)).toFixed(1),
    ]),
    row('', ['empty', 'filled', 'nearest named', 'others named']),
    row(
      `not held (${others.length}, ${nearby.length} with a near one)`,
      [
        others.filter(({ returned }) => returned.length === 0),
        others.filter(({ returned }) => returned.length > 0),
        nearby.filter(({ near, named }) => near.some((one) => named.includes(one))),
        others.filter(({ near, named }) => named.some((one) => !near.includes(one))),
      ].map((some) => String(some.length)),
    ),
  ];
}

/** What became of a question whose answer is held. */
function placesOf({ relevant, returned, named }: Reply): Set<string> {
  const highest = Math.max(...Object.values(relevant));
  const best = Object.keys(relevant).filter((one) => relevant[one] === highest);
  const [first] = returned;
  if (returned.some((one) => one in relevant)) {
    return new Set([
      'found',
      ...(best.some((one) => one === first) ? ['first'] : []),
      ...(best.every((one) => returned.includes(one)) ? ['all'] : []),
    ]);
  }
  if (returned.length > 0) return new Set(['others']);
  return new Set([named.some((one) => one in relevant) ? 'notice' : 'neither']);
}

/** The replies to all questions of a half, on a shelf with the newest figure of each bundled series. */
export async function askAll(half: Judged['half']): Promise<Reply[]> {
  const db = new Database(':memory:');
  migrate(db, macroMigrations, AT);
  const starter = readStarterMacro(fileURLToPath(new URL('../../data', import.meta.url)));
  const series = starter.series.map((one) => ({
    ...one,
    observations: one.observations.slice(-1),
  }));
  fillMacro(db, { ...starter, series, vintages: [] });
  const context: Context = {
    ...offline,
    db,
    now: () => AT,
    embedQuery: async () => ({ unavailable: 'not needed' }),
  };
  const aliases = starter.catalogue.map(({ indicator }) => indicator);
  const replies: Reply[] = [];
  for (const question of readEval('macro-indicators.json', questionFile)) {
    if (question.half !== half) continue;
    const input = macroIndicatorSearch.input.parse({ q: question.query });
    const { data, meta } = await macroIndicatorSearch.handler(input, context);
    const notice = meta.notice ?? '';
    const words = new Set<string>(notice.match(/us\.[\w.]*\w/g));
    replies.push({
      ...question,
      returned: data.map(({ indicator }) => indicator),
      notice,
      named: aliases.filter((alias) => words.has(alias)),
    });
  }
  db.close();
  return replies;
}
