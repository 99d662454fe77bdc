import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureDrains, measureMemory, measureThroughput, type Row } from './load/measure.ts';
import { measureOverhead } from './load/overhead.ts';

/**
 * `npm run load [-- --seconds 10] [--calls 3000] [--requests 200000]`: what the HTTP door carries on
 * the starter shelf, with its ledger and output check on, beside a bare server that answers the same
 * bytes. Measures the build in dist/, without the network; the load comes from this process, which
 * takes a core of its own. Exits with 1 where a target is missed.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    calls: { type: 'string', default: '3000' },
    requests: { type: 'string', default: '200000' },
  },
});

const rows: Row[] = [];
for (const measure of [
  (home: string) => measureThroughput(home, count(values.seconds)),
  (home: string) => measureOverhead(home, count(values.calls)),
  measureDrains,
  (home: string) => measureMemory(home, count(values.requests)),
]) {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-load-'));
  try {
    rows.push(...(await measure(home)));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
process.stdout.write(
  `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model})\n`,
);
process.stdout.write(`${rows.map(render).join('\n')}\n`);
if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;

function render({ what, value, target, isMet }: Row): string {
  const width = Math.max(...rows.map((row) => row.what.length));
  const judged = target === undefined ? '' : `  [${target}: ${isMet ? 'met' : 'MISSED'}]`;
  return `${what.padEnd(width)}  ${value}${judged}`;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`"${text}" is no number of runs`);
  return Number(text);
}
