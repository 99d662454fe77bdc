import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { storePath } from '../../src/config.ts';
import { openReadOnly } from '../../src/store/open.ts';
import { figure, quantile, type Section } from './figures.ts';
import { timeProcess } from './process.ts';
import { BIN, environment, withHome } from './server.ts';

/** Targets, in the units of the figures. */
const TARGET = { ratio: { below: 2, of: 'p50' } } as const;
/** The same columns and rows as `export macro --vintages`, in the same order. */
const SAME_ROWS = `
  SELECT v.date, s.indicator, v.value, coalesce(v.known_from, v.rt_start) AS realtime_start,
    v.rt_end AS realtime_end, iif(v.exact, 'true', 'false') AS exact, v.units
  FROM macro_series s CROSS JOIN macro_vintage v USING (series_id)
  ORDER BY s.position, v.date, v.rt_start`;

/** Exports the bundled figures to a file, and lets SQLite's shell write the same rows. */
export function measureExport({ exports: times }: { exports: number }): Promise<Section> {
  return withHome(async (home) => {
    const env = { ...process.env, ...environment(home, null) };
    // The first command creates the store.
    execFileSync(process.execPath, [BIN, 'status'], { env, stdio: 'ignore' });
    const db = openReadOnly(storePath(home));
    const observations = Number(db.prepare('SELECT count(*) FROM macro_vintage').pluck().get());
    db.close();
    const out = join(home, 'macro.csv');
    const ours: { spent: number; peak: number }[] = [];
    const theirs: { spent: number; peak: number }[] = [];
    for (let time = 0; time < times; time += 1) {
      const args = [BIN, 'export', 'macro', '--vintages', '--out', out];
      ours.push(await timeProcess(process.execPath, args, { env }));
      const file = openSync(join(home, 'theirs.csv'), 'w');
      const words = ['-readonly', '-csv', '-header', storePath(home), SAME_ROWS];
      theirs.push(await timeProcess('sqlite3', words, { stdio: ['ignore', file, 'inherit'] }));
      closeSync(file);
    }
    const spent = (runs: typeof ours) => runs.map((run) => run.spent);
    const peak = (runs: typeof ours) => runs.map((run) => run.peak);
    const ratio = quantile(spent(ours), 0.5) / quantile(spent(theirs), 0.5);
    return {
      title: `Export of ${observations.toLocaleString('en-US')} observations as CSV`,
      figures: [
        figure('quantshelf export macro --vintages', 'ms', spent(ours)),
        figure('sqlite3 -csv, same rows', 'ms', spent(theirs)),
        figure('ratio of the two', 'times', [ratio], TARGET.ratio),
        figure('peak memory of quantshelf', 'MB', peak(ours)),
        figure('peak memory of sqlite3', 'MB', peak(theirs)),
      ],
    };
  });
}
