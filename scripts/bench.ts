import { parseArgs } from 'node:util';
import { isMet, renderSections, type Section } from './bench/figures.ts';
import { measureInstalls } from './bench/install.ts';
import { describeMade, describeRun } from './bench/made.ts';
import { measureNewcomer } from './bench/newcomer.ts';
import { type Results, renderInstalls, renderNewcomer, writeResults } from './bench/results.ts';
import { measureSearch } from './bench/search.ts';
import { FULL } from './bench/sizes.ts';
import { STEPS } from './bench/steps.ts';
import { givenModels, linkModels } from './model.ts';
import { writePage } from './readme.ts';

/**
 * `npm run bench [-- --write] [--search] [--install] [--newcomer] [--large] [--json] [--starts 21] [--calls 200] [--cards 200]`:
 * the cost of start-up, calls, filling the shelf, search and memory, with baselines and targets. Measures
 * the build in dist/, without the network; `--cards 20000` takes half an hour. `--search` measures
 * search only; `--large` adds 100,000 and a million cards, which takes several minutes and 6 GB of
 * disk. `--install` measures only the first start with npx from an empty cache, `--newcomer` only the
 * commands of the README as typed in an empty home; both need a registry.
 * `--write` puts the raw results into data/bench and the tables into docs/benchmarks.md.
 */
const LARGE = [100_000, 1_000_000];
const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    search: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    newcomer: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    starts: { type: 'string', default: String(FULL.starts) },
    calls: { type: 'string', default: String(FULL.calls) },
    cards: { type: 'string', default: String(FULL.cards) },
  },
});
const given = process.argv.slice(2);
const made = describeRun(
  ['npm run bench', ...(given.length === 0 ? [] : ['--', ...given])].join(' '),
);
const say = (line: string) => process.stderr.write(`${line}\n`);
if (values.install) {
  const install = { made, ...(await measureInstalls(say)) };
  process.stdout.write(`${renderInstalls(install)}\n`);
  if (values.write) write({ install });
} else if (values.newcomer) {
  const newcomer = { made, ...(await measureNewcomer(say)) };
  process.stdout.write(`${renderNewcomer(newcomer)}\n`);
  if (values.write) write({ newcomer });
} else await measure();

async function measure(): Promise<void> {
  const modelDir = await linkModels(givenModels());
  if (modelDir === null && values.write) {
    throw new Error('--write needs the model: set QUANTSHELF_MODEL_DIR to a directory with it');
  }
  const speed = values.search ? [] : await measureOthers(modelDir);
  // At once: search takes as long again.
  if (values.write && !values.search) write({ speed: { made, sections: speed } });
  const { search: sizes } = FULL;
  const cards = values.large ? [...sizes.cards, ...LARGE] : sizes.cards;
  const search = await measureSearch({ ...sizes, cards }, modelDir, say);
  const sections = [...speed, ...search];
  process.stdout.write(`${values.json ? renderJson(sections) : renderText(sections)}\n`);
  if (modelDir === null) {
    say('The model is missing, so searches are lexical only. Set QUANTSHELF_MODEL_DIR to add it.');
  }
  if (values.write) write({ search: { made, sections: search } });
}

async function measureOthers(modelDir: string | null): Promise<Section[]> {
  const { starts, calls, cards } = values;
  const sizes = { ...FULL, starts: count(starts), calls: count(calls), cards: count(cards) };
  const sections: Section[] = [];
  for (const step of Object.values(STEPS)) {
    const begun = performance.now();
    const section = await step(sizes, modelDir);
    if (section === null) continue;
    sections.push(section);
    say(`${section.title}: measured in ${((performance.now() - begun) / 1e3).toFixed(0)} s`);
  }
  return sections;
}

function renderJson(sections: readonly Section[]): string {
  const figures = sections.flatMap((section) =>
    section.figures.map((each) => ({ section: section.title, ...each, met: isMet(each) })),
  );
  return JSON.stringify({ made, figures }, null, 2);
}

function renderText(sections: readonly Section[]): string {
  return [`${describeMade(made)} Node ${made.node}.`, renderSections(sections)].join('\n');
}

function write(results: Partial<Results>): void {
  writeResults(results);
  writePage('docs/benchmarks.md');
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`"${text}" is not a valid number of runs`);
  return Number(text);
}
