import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { sectionSchema, sectionTables } from './figures.ts';

/** How a block of figures came about. */
const madeSchema = z.strictObject({
  command: z.string(),
  /** YYYY-MM-DD, UTC. */
  day: z.string(),
  node: z.string(),
  platform: z.string(),
  cpu: z.string(),
  cores: z.number(),
  memoryGb: z.number(),
  /** Average number of waiting processes in the minute before; 0 on Windows. */
  load: z.number(),
});
type Made = z.output<typeof madeSchema>;

/** To be taken before the work begins: the load would include it. */
export function describeRun(command: string): Made {
  const [load = 0] = loadavg();
  return {
    command,
    day: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: (cpus()[0]?.model ?? 'unknown').trim(),
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    load: Math.round(load * 10) / 10,
  };
}

/** Without the version of Node: some blocks compare several. */
export function describeMade({ command, day, platform, cpu, cores, memoryGb, load }: Made): string {
  const machine = `${platform}, ${cores} cores (${cpu}), ${memoryGb} GB of memory`;
  // The average of the last minute still holds what ended before.
  const isBusy = load > cores / 2;
  const busy = isBusy ? ', so other programs slowed it down' : '';
  return `By \`${command}\` on ${day}, ${machine}. Load average at the start: ${load.toFixed(1)}${busy}.`;
}

const measuredSchema = z.strictObject({ made: madeSchema, sections: z.array(sectionSchema) });

const installSchema = z.strictObject({
  programs: z.string(),
  /** To the answer of tools/list, from an empty cache of npm and once more. */
  seconds: z.number(),
  again: z.number(),
  megabytes: z.number(),
  packages: z.number(),
});
const installsSchema = z.strictObject({
  made: madeSchema,
  /** Of the package itself, in MB. */
  packed: z.number(),
  unpacked: z.number(),
  installs: z.array(installSchema),
});

/** What the last run that was written measured, by the name of its part of docs/benchmarks.md. */
export interface Results {
  speed: z.output<typeof measuredSchema>;
  install: Installs;
}
export type Install = z.output<typeof installSchema>;
export type Installs = z.output<typeof installsSchema>;

const FOLDER = fileURLToPath(new URL('../../data/bench/', import.meta.url));

/** The generated parts of docs/benchmarks.md, from the raw results in data/bench. */
export const BENCH_PARTS: Readonly<Record<keyof Results, () => string>> = {
  speed: () => renderMeasured(read('speed', measuredSchema)),
  install: () => renderInstalls(read('install', installsSchema)),
};

export function writeResults(results: Partial<Results>): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, values] of Object.entries(results)) {
    writeFileSync(`${FOLDER}${name}.json`, `${JSON.stringify(values, null, 1)}\n`);
  }
}

function read<S extends z.ZodType>(name: keyof Results, schema: S): z.output<S> {
  return schema.parse(JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8')));
}

function renderMeasured({ made, sections }: Results['speed']): string {
  return `${describeMade(made)} Node ${made.node}.\n\n${sectionTables(sections)}`;
}

export function renderInstalls({ made, packed, unpacked, installs }: Installs): string {
  const rows = installs.map(({ programs, seconds, again, megabytes, packages }) =>
    row([
      programs,
      `${seconds.toFixed(1)} s`,
      `${again.toFixed(1)} s`,
      `${megabytes.toFixed(0)} MB`,
      String(packages),
    ]),
  );
  const size = `${packed.toFixed(1)} MB packed and ${unpacked.toFixed(1)} MB unpacked`;
  return [
    `${describeMade(made)} The package is ${size}.`,
    '',
    row(['', 'first start', 'second start', 'installed', 'packages']),
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
