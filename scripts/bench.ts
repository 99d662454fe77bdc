import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { isMet, renderSections, type Section } from './bench/figures.ts';
import { measureInstalls } from './bench/install.ts';
import { measureHistories } from './bench/macro.ts';
import { measureMarketPulls, measureMarkets } from './bench/markets.ts';
import {
  type Bench,
  measureFirstStart,
  measureListing,
  measureMemory,
  measureOperations,
} from './bench/measure.ts';
import {
  measureEmbedding,
  measureFilling,
  measureHarvest,
  measureSections,
} from './bench/papers.ts';
import { measureSearch } from './bench/search.ts';
import { givenModels, linkModels } from './model.ts';

/**
 * `npm run bench [-- --json] [--starts 21] [--calls 200] [--cards 200] [--search] [--large] [--install]`: the
 * cost of start-up, calls, filling the shelf, search and memory, with baselines and targets. Measures
 * the build in dist/, without the network; `--cards 20000` takes half an hour. `--search` measures
 * search only; `--large` adds 100,000 and a million cards, which takes several minutes and 6 GB of
 * disk. `--install` measures only the first start with npx from an empty cache; it needs a registry.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    starts: { type: 'string', default: '21' },
    calls: { type: 'string', default: '200' },
    cards: { type: 'string', default: '200' },
    search: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
  },
});
if (values.install) {
  process.stdout.write(`${await measureInstalls()}\n`);
  process.exit();
}
const modelDir = await linkModels(givenModels());
const bench: Bench = { starts: count(values.starts), calls: count(values.calls), modelDir };

const sections: Section[] = [
  ...(values.search ? [] : await measureOthers()),
  ...(await measureSearch(modelDir, values.large, (line) => process.stderr.write(`${line}\n`))),
];
const machine = {
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1e9),
};
process.stdout.write(values.json ? `${renderJson()}\n` : `${renderText()}\n`);

async function measureOthers(): Promise<Section[]> {
  return [
    await measureListing(bench),
    await measureFirstStart(bench),
    ...(modelDir === null ? [] : [await measureOperations(bench, modelDir)]),
    await measureOperations(bench, null),
    await measureMemory(bench),
    await measureHistories(bench.calls),
    await measureMarkets(bench.calls),
    await measureMarketPulls(),
    await measureHarvest(),
    await measureSections(),
    ...(modelDir === null
      ? []
      : [await measureEmbedding(modelDir), await measureFilling(count(values.cards), modelDir)]),
  ];
}

function renderJson(): string {
  const figures = sections.flatMap((section) =>
    section.figures.map((each) => ({ section: section.title, ...each, met: isMet(each) })),
  );
  return JSON.stringify({ machine, model: modelDir !== null, figures }, null, 2);
}

function renderText(): string {
  const { node, platform, cpu, cores, memoryGb } = machine;
  const lines = [`Node ${node}, ${platform}, ${cores} cores (${cpu}), ${memoryGb} GB`];
  if (modelDir === null) {
    lines.push(
      'The model is missing, so searches are lexical only. Set QUANTSHELF_MODEL_DIR to measure it.',
    );
  }
  return [...lines, renderSections(sections)].join('\n');
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`"${text}" is not a valid number of runs`);
  return Number(text);
}
