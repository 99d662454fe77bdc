import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { type Trial, tryInput } from './fuzz/measure.ts';
import { mutate, mutation } from './fuzz/mutate.ts';
import { openReaders, type Reader } from './fuzz/readers.ts';
import { openStdioReader } from './fuzz/stdio.ts';

/**
 * `npm run fuzz [-- --minutes 10] [--seed 1] [--reader stdio]`: mutated answers of every upstream, and
 * mutated lines on stdio of the build in dist/. Every input is below 1 MB. Exits with 1 when a reader
 * throws an error that no caller expects, or keeps the event loop from turning for more than 200 ms;
 * such inputs are kept in a temporary folder. A slow input counts with the best of three tries, since
 * other programs on the machine only make it slower. Input n depends on the seed and n alone.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    reader: { type: 'string', default: '' },
  },
});
const MAX_BLOCK_MS = 200;
const TRIES = 3;
/** Failing inputs kept of each reader. */
const MAX_KEPT = 5;

const seed = Number(values.seed);
const [minutes, folder] = [Number(values.minutes), mkdtempSync(join(tmpdir(), 'quantshelf-fuzz-'))];
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error('--minutes or --seed is not a number');

interface Row {
  reader: Reader;
  inputs: number;
  outcomes: Map<string, number>;
  crashes: number;
  blocks: number;
  longestMs: number;
}

let current = '';
process.on('uncaughtException', (error) => {
  process.stdout.write(`${current}: uncaught with seed ${seed}: ${error.stack}\n`);
  process.exit(1);
});
const stdio = await openStdioReader();
const readers = [...(await openReaders()), stdio].filter(({ name }) =>
  name.toLowerCase().includes(values.reader.toLowerCase()),
);
const rows: Row[] = [];
for (const reader of readers) rows.push(await fuzz(reader, (minutes * 60_000) / readers.length));
await stdio.close();
print(rows);

async function fuzz(reader: Reader, ms: number): Promise<Row> {
  const row: Row = {
    ...{ reader, inputs: 0, outcomes: new Map(), crashes: 0, blocks: 0, longestMs: 0 },
  };
  // Compiles what is loaded on first use, and proves that the seeds are read.
  for (const each of reader.seeds) {
    const input = reader.pack?.(each) ?? each;
    await tryInput((signal) => reader.read(input, 200, signal));
  }
  for (const end = Date.now() + ms; Date.now() < end; row.inputs += 1) {
    const [change] = fc.sample(mutation, { seed: seed + row.inputs, numRuns: 1 });
    if (change === undefined) throw new Error('fast-check made no mutation');
    const { statuses = [200], format, seeds, maxBytes } = reader;
    const status = statuses[Math.floor(change.status * statuses.length)] ?? 200;
    const made = mutate(seeds, change, format, maxBytes);
    const input = reader.pack?.(made) ?? made;
    current = `${reader.name}, input ${row.inputs}`;
    const trial = await best((signal) => reader.read(input, status, signal));
    row.outcomes.set(trial.outcome, (row.outcomes.get(trial.outcome) ?? 0) + 1);
    row.longestMs = Math.max(row.longestMs, trial.blockMs);
    const isSlow = trial.blockMs > MAX_BLOCK_MS;
    row.crashes += trial.crash === null ? 0 : 1;
    row.blocks += isSlow ? 1 : 0;
    if ((isSlow || trial.crash !== null) && row.crashes + row.blocks <= MAX_KEPT) {
      const path = join(folder, `${reader.name.replace(/\W+/g, '-')}-${seed}-${row.inputs}`);
      writeFileSync(path, input);
      const fault = trial.crash?.stack ?? `${trial.blockMs.toFixed(0)} ms`;
      const how = change.steps.map(({ kind }) => kind).join(', ');
      process.stdout.write(`${current} of seed ${seed} (${how}; ${path}): ${fault}\n`);
    }
  }
  return row;
}

async function best(read: (signal: AbortSignal) => Promise<unknown>): Promise<Trial> {
  let least = await tryInput(read);
  for (let more = 1; more < TRIES && least.blockMs > MAX_BLOCK_MS; more += 1) {
    const next = await tryInput(read);
    if (next.blockMs < least.blockMs) least = next;
  }
  return least;
}

function print(all: readonly Row[]): void {
  const lines = [
    `seed ${seed}, ${minutes} min, Node ${process.versions.node}`,
    '| reader | inputs | outcomes | crashes | longest block |',
    '|---|---|---|---|---|',
    ...all.map(({ reader, inputs, outcomes, crashes, longestMs }) => {
      const told = [...outcomes].sort(([, a], [, b]) => b - a).map(([name, n]) => `${name} ${n}`);
      return `| ${reader.name} | ${inputs} | ${told.join(', ')} | ${crashes} | ${longestMs.toFixed(0)} ms |`;
    }),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (all.some(({ crashes, blocks }) => crashes + blocks > 0)) process.exitCode = 1;
}
