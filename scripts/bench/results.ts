import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { sectionSchema, sectionTables } from './figures.ts';
import { describeMade, madeSchema } from './made.ts';

const measuredSchema = z.strictObject({ made: madeSchema, sections: z.array(sectionSchema) });

const installSchema = z.strictObject({
  programs: z.string(),
  /** To the answer of tools/list, from an empty cache of npm and once more. */
  seconds: z.number(),
  again: z.number(),
  megabytes: z.number(),
  packages: z.number(),
  /** Install scripts that npm ran. */
  scripts: z.number(),
  /** Whether a call was answered after that, which needs SQLite. */
  isUsable: z.boolean(),
});
const installsSchema = z.strictObject({
  made: madeSchema,
  /** Of the package itself, in MB. */
  packed: z.number(),
  unpacked: z.number(),
  installs: z.array(installSchema),
});

const typedSchema = z.strictObject({
  command: z.string(),
  /** Null where it was ended once it had answered. */
  code: z.number().nullable(),
  /** What came, on one line. */
  said: z.string(),
  seconds: z.number(),
});
const newcomerSchema = z.strictObject({
  made: madeSchema,
  runs: z.array(z.strictObject({ programs: z.string(), typed: z.array(typedSchema) })),
  notRun: z.array(z.strictObject({ command: z.string(), reason: z.string() })),
});

/** What the last run that was written measured, by the name of its part of docs/benchmarks.md. */
export interface Results {
  speed: z.output<typeof measuredSchema>;
  search: z.output<typeof measuredSchema>;
  install: Installs;
  newcomer: Newcomer;
}
export type Install = z.output<typeof installSchema>;
export type Installs = z.output<typeof installsSchema>;
export type Typed = z.output<typeof typedSchema>;
export type Newcomer = z.output<typeof newcomerSchema>;

const FOLDER = fileURLToPath(new URL('../../data/bench/', import.meta.url));

/** The generated parts of docs/benchmarks.md, from the raw results in data/bench. */
export const BENCH_PARTS: Readonly<Record<keyof Results, () => string>> = {
  speed: () => renderMeasured(read('speed', measuredSchema)),
  search: () => renderMeasured(read('search', measuredSchema)),
  install: () => renderInstalls(read('install', installsSchema)),
  newcomer: () => renderNewcomer(read('newcomer', newcomerSchema)),
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
  const rows = installs.map(
    ({ programs, seconds, again, megabytes, packages, scripts, isUsable }) =>
      row([
        programs,
        `${seconds.toFixed(1)} s`,
        `${again.toFixed(1)} s`,
        `${megabytes.toFixed(0)} MB`,
        String(packages),
        String(scripts),
        isUsable ? 'yes' : 'no',
      ]),
  );
  const size = `${packed.toFixed(1)} MB packed and ${unpacked.toFixed(1)} MB unpacked`;
  return [
    `${describeMade(made)} The package is ${size}.`,
    '',
    row([
      '',
      'first start',
      'second start',
      'installed',
      'packages',
      'install scripts run',
      'answers calls',
    ]),
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

export function renderNewcomer({ made, runs, notRun }: Newcomer): string {
  const [first] = runs;
  const rows = (first?.typed ?? []).map(({ command }, index) => {
    const all = runs.map(({ typed }) => typed[index]).filter((each) => each !== undefined);
    const codes = all.map(({ code }) => (code === null ? 'runs' : String(code)));
    const said = [...new Set(all.map((each) => each.said))].map(escapeCell).join('<br>');
    const seconds = all.map((each) => each.seconds.toFixed(1));
    return row([`\`${escapeCell(command)}\``, [...new Set(codes)].join(', '), said, ...seconds]);
  });
  const columns = runs.map(({ programs }) => `s, ${programs}`);
  return [
    describeMade(made),
    '',
    row(['typed', 'exit', 'what came', ...columns]),
    `|---|---|---|${'---|'.repeat(columns.length)}`,
    ...rows,
    '',
    `Not run: ${notRun.map(({ command, reason }) => `\`${command}\` (${reason})`).join('; ')}.`,
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
