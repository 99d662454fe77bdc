import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureExport } from './bench/export.ts';
import { describeRun, type Section, sectionTables } from './bench/figures.ts';
import { measureLarge } from './bench/large.ts';
import {
  measureFirstStart,
  measureListing,
  measureMemory,
  measureOperations,
} from './bench/stdio.ts';
import { measureSyncs } from './bench/sync.ts';
import { linkModels, suppliedModels } from './model.ts';
import { replacePart } from './readme.ts';
import { answerHelp } from './usage.ts';

const PAGE = 'docs/benchmarks.md';
answerHelp(`
Usage: npm run bench -- [--write]

Measures the build in dist/ without the network: starts, calls, memory, a large shelf, syncs and exports,
beside baselines and targets. The baseline of exports is SQLite's shell, sqlite3.

  --write  put the tables into ${PAGE}
`);
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const SIZES = { starts: 21, calls: 200, lives: 3 };
const LARGE = { papers: 30_000, events: 20_000, queries: 100 };
const SYNCS = { papers: 200, events: 5_000 };
const EXPORT = { exports: 7 };

const log = (line: string) => process.stderr.write(`${line}\n`);
const run = describeRun();
const modelDir = await linkModels(suppliedModels());
if (modelDir === null)
  throw new Error('the model is missing: set QUANTSHELF_MODEL_DIR to a directory that has it');
const sections: Section[] = [];
for (const step of [
  () => measureListing(SIZES),
  () => measureFirstStart(SIZES),
  () => measureMemory(SIZES, modelDir),
  () => measureOperations(SIZES, modelDir),
  () => measureLarge(LARGE, modelDir),
  () => measureSyncs(SYNCS, modelDir),
  () => measureExport(EXPORT),
]) {
  const section = await step();
  sections.push(section);
  log(`measured: ${section.title}`);
}
const text = `${run}\n\n${sectionTables(sections)}`;
process.stdout.write(`${text}\n`);
if (values.write) writeFileSync(PAGE, replacePart(readFileSync(PAGE, 'utf8'), 'speed', text));
