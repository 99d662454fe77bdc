import { parseArgs } from 'node:util';
import { type Section, sectionTables } from './bench/figures.ts';
import { measureInstalls } from './bench/install.ts';
import { measureLarge } from './bench/large.ts';
import {
  describeMade,
  describeRun,
  type Results,
  renderInstalls,
  writeResults,
} from './bench/results.ts';
import {
  measureFirstStart,
  measureListing,
  measureMemory,
  measureOperations,
} from './bench/stdio.ts';
import { measureSyncs } from './bench/sync.ts';
import { givenModels, linkModels } from './model.ts';
import { writePage } from './readme.ts';

/**
 * `npm run bench [-- --write] [--install]`: the cost of start-up, calls, memory, a large shelf and syncs,
 * with baselines and targets. Measures the build in dist/, without the network. `--install` measures
 * only the first start with npx from an empty cache, and needs a registry. `--write` puts the raw results
 * into data/bench and the tables into docs/benchmarks.md.
 */
const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
  },
});
const SIZES = { starts: 21, calls: 200, lives: 3 };
const LARGE = { papers: 30_000, events: 20_000, queries: 100 };
const SYNCS = { papers: 200, events: 5_000 };

const given = process.argv.slice(2);
const made = describeRun(
  ['npm run bench', ...(given.length === 0 ? [] : ['--', ...given])].join(' '),
);
const log = (line: string) => process.stderr.write(`${line}\n`);
if (values.install) {
  const install = { made, ...(await measureInstalls(log)) };
  process.stdout.write(`${renderInstalls(install)}\n`);
  if (values.write) write({ install });
} else {
  const modelDir = await linkModels(givenModels());
  if (modelDir === null) throw new Error('set QUANTSHELF_MODEL_DIR to a directory with the model');
  const sections: Section[] = [];
  for (const step of [
    () => measureListing(SIZES),
    () => measureFirstStart(SIZES),
    () => measureMemory(SIZES, modelDir),
    () => measureOperations(SIZES, modelDir),
    () => measureLarge(LARGE, modelDir),
    () => measureSyncs(SYNCS, modelDir),
  ]) {
    const section = await step();
    sections.push(section);
    log(`measured: ${section.title}`);
  }
  process.stdout.write(`${describeMade(made)}\n\n${sectionTables(sections)}\n`);
  if (values.write) write({ speed: { made, sections } });
}

function write(results: Partial<Results>): void {
  writeResults(results);
  writePage('docs/benchmarks.md');
}
