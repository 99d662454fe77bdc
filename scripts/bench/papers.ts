import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { migrations } from '../../src/app/migrations.ts';
import { parseRecordPage } from '../../src/areas/papers/arxiv/oai.ts';
import { createParser } from '../../src/areas/papers/full-text/parser.ts';
import { upsertRecord } from '../../src/areas/papers/sync/record-ingest.ts';
import { loadEmbedder } from '../../src/embedding/embedder.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';
import { startArxiv } from '../../test/stand-ins/arxiv.ts';
import { StandInOai } from '../../test/stand-ins/arxiv-oai.ts';
import { makeHtmlPage } from '../../test/stand-ins/arxiv-pages.ts';
import { makePapers, readRecordedPapers } from '../../test/stand-ins/arxiv-papers.ts';
import { findModelIn } from '../model.ts';
import { details, type Figure, figure, type Section } from './figures.ts';
import type { Sizes } from './sizes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const RECORDED_PAGES = join(root, '..', 'shared', 'data', 'papers', 'html');

/** Targets, in the units of the figures. */
const TARGET = {
  // 2,000 records a second.
  parse: { below: 500, of: 'p50' },
  // 0.9 times the speed of the bare model.
  embed: { below: 1.11, of: 'p50' },
  memory: { below: 500, of: 'p50' },
  page: { below: 400, of: 'p50' },
  blocked: { below: 50, of: 'p50' },
} as const;

/** A page of records as arXiv sends it: parsing it, and storing the records in an empty store. */
export async function measureHarvest({ records: wanted, rounds }: Sizes): Promise<Section> {
  const recorded = readRecordedPapers(wanted);
  const papers = recorded.length === 0 ? makePapers(wanted) : recorded;
  const oai = new StandInOai({ pageSize: wanted, joinRepeats: 0, now: () => new Date() });
  const query = new URLSearchParams('verb=ListRecords&metadataPrefix=arXiv&set=q-fin');
  const body = Buffer.from(oai.answer(query, papers));
  const parsing: number[] = [];
  const storing: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const { records } = await parseRecordPage(body, null);
    const parsed = performance.now();
    const db = openForWriting(':memory:');
    migrate(db, migrations, new Date());
    const opened = performance.now();
    db.transaction(() => {
      for (const record of records) upsertRecord(db, record, new Date());
    }).immediate();
    storing.push(((performance.now() - opened) / records.length) * 1_000);
    parsing.push(((parsed - begun) / records.length) * 1_000);
    db.close();
  }
  const what = recorded.length === 0 ? 'synthetic records' : 'real records';
  return {
    title: `Harvest, per 1,000 ${what}`,
    figures: [
      figure('parsed from OAI-PMH', 'ms', parsing, TARGET.parse),
      figure('stored, with terms, summary and tags, without the model', 'ms', storing),
    ],
  };
}

/** Abstracts through our embedder and through the bare library, in the same batches. */
export async function measureEmbedding(
  { rounds, abstracts }: Sizes,
  modelDir: string,
): Promise<Section> {
  const files = await findModelIn(modelDir);
  if (files === null) throw new Error('there is no model in the directory given');
  const threads = 2;
  const recorded = readRecordedPapers(abstracts);
  const texts = (recorded.length === 0 ? makePapers(abstracts) : recorded)
    .map(({ title, abstract }) => `${title}. ${abstract}`)
    .sort((a, b) => a.length - b.length);
  const embedder = await loadEmbedder(files, { threads });
  const { env, pipeline } = await import('@huggingface/transformers');
  env.allowRemoteModels = false;
  const bare = await pipeline('feature-extraction', files.directory, {
    dtype: 'q4',
    device: 'auto',
    local_files_only: true,
    session_options: { executionProviders: ['cpu'], intraOpNumThreads: threads },
  });
  const spent = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await embedder.embed(texts);
    const between = performance.now();
    for (let start = 0; start < texts.length; start += 8) {
      await bare(texts.slice(start, start + 8), { pooling: 'mean', normalize: true });
    }
    spent.ours.push((between - begun) / texts.length);
    spent.bare.push((performance.now() - between) / texts.length);
  }
  await embedder.close();
  await bare.dispose();
  const ratios = spent.ours.map((ours, index) => ours / (spent.bare[index] ?? ours));
  return {
    title: 'Embedding, per abstract',
    figures: [
      figure('quantshelf', 'ms', spent.ours),
      figure('bare model, same batches', 'ms', spent.bare),
      figure('ratio', 'times', ratios, TARGET.embed),
    ],
  };
}

/** Pages to sections in the parser's thread, and how long the calling thread was blocked. */
export async function measureSections({ pageBytes, rounds }: Sizes): Promise<Section> {
  const parse = createParser(new URL('../../dist/paper-parser.mjs', import.meta.url));
  const pages: [string, string][] = [
    [`synthetic page of ${pageBytes / 1e6} MB`, makeLongPage(pageBytes)],
  ];
  for (const name of ['latexml-1707.08043', 'ar5iv-1904.07818']) {
    const path = join(RECORDED_PAGES, `${name}.html`);
    if (!existsSync(path)) continue;
    const html = readFileSync(path, 'utf8');
    pages.push([`${name}, ${(html.length / 1e6).toFixed(2)} MB`, html]);
  }
  const figures: Figure[] = [];
  for (const [name, html] of pages) {
    const spent: number[] = [];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      const reading = await parse(html, new AbortController().signal);
      spent.push(performance.now() - begun);
      if (!reading.ok) throw new Error(`${name} could not be read: ${reading.reason}`);
    }
    delay.disable();
    const measured = [
      figure(name, 'ms', spent, TARGET.page),
      figure('  longest block of other calls', 'ms', [delay.max / 1e6], TARGET.blocked),
    ];
    figures.push(...(figures.length === 0 ? measured : details(measured)));
  }
  return { title: 'A page of arXiv to sections, in a thread', figures };
}

function makeLongPage(bytes: number): string {
  const text = 'Dealers who hold more than they want lower their quotes until others take it. ';
  const section = {
    title: 'Quotes under inventory',
    text: Array.from({ length: 12 }, () => text.repeat(6)),
    formula: String.raw`s_t = \frac{2}{\gamma} \ln\left(1 + \frac{\gamma}{\kappa}\right) + \gamma \sigma^2 (T - t)`,
  };
  const one = makeHtmlPage({ title: 'A long paper', abstract: text, sections: [section] }).length;
  const sections = Array.from({ length: Math.ceil(bytes / one) }, () => section);
  return makeHtmlPage({ title: 'A long paper', abstract: text, sections });
}

/** Time and memory of a full `sync papers`. Only Linux reports the peak memory. */
export async function measureFilling(
  { cards, records: pageSize }: Sizes,
  modelDir: string,
): Promise<Section> {
  const recorded = readRecordedPapers(cards);
  const records = recorded.length < cards ? makePapers(cards) : recorded;
  const arxiv = await startArxiv({ records, pageSize });
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  try {
    const begun = performance.now();
    const bin = join(root, 'bin', 'quantshelf.js');
    const child = spawn(process.execPath, [bin, 'sync', 'papers', '--since', '2020-01-01'], {
      env: {
        ...process.env,
        ...arxiv.env,
        QUANTSHELF_HOME: home,
        QUANTSHELF_OFFLINE: '0',
        QUANTSHELF_PACE_MS: '0',
        QUANTSHELF_MODEL_DIR: modelDir,
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, peakMb(child.pid));
    }, 200);
    await once(child, 'exit');
    clearInterval(watch);
    if (child.exitCode !== 0) throw new Error('the sync failed');
    const spent = performance.now() - begun;
    const what = recorded.length < cards ? 'synthetic papers' : 'real records';
    return {
      title: `sync papers, ${cards.toLocaleString('en-US')} ${what}`,
      figures: [
        figure('per paper, in total', 'ms', [spent / cards]),
        ...(peak === 0 ? [] : [figure('peak resident memory', 'MB', [peak], TARGET.memory)]),
      ],
    };
  } finally {
    await arxiv.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function peakMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
