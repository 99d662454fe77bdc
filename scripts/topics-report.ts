import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { digestOf, digestTexts } from '../src/areas/papers/digest.ts';
import { readableTex } from '../src/areas/papers/latex.ts';
import { TOPICS, topicText } from '../src/areas/papers/topics.ts';
import { type Embedder, loadEmbedder } from '../src/embedding/embedder.ts';
import { findModel } from '../src/embedding/files.ts';
import { readStarterPapers } from './starter/papers.ts';

/**
 * `tsx scripts/topics-report.ts [--papers 200] [--show 20]`: tags and summaries of the recorded
 * abstracts, and how far the tags agree with those a person gave the starter papers.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const recordedFile = join(root, '..', 'shared', 'data', 'papers', 'qfin-2025-2026-2000.json');
const { values } = parseArgs({
  options: { papers: { type: 'string', default: '200' }, show: { type: 'string', default: '0' } },
});

const recorded = z
  .array(
    z.object({
      arxiv_id: z.string(),
      title: z.string(),
      abstract: z.string(),
      primary_category: z.string(),
      categories: z.array(z.string()),
    }),
  )
  .parse(existsSync(recordedFile) ? JSON.parse(readFileSync(recordedFile, 'utf8')) : []);
const beside = join(root, '..', 'shared', 'models');
const modelDir = process.env.QUANTSHELF_MODEL_DIR ?? beside;
const directory = await findModel({ home: modelDir, modelDir });
if (directory === null) throw new Error('set QUANTSHELF_MODEL_DIR to a directory with the model');
const embedder: Embedder = await loadEmbedder(directory, { threads: 2 });
const topicVectors = await embedder.embed(TOPICS.map(topicText));

async function digest(card: { title: string; abstract: string; categories: readonly string[] }) {
  const texts = digestTexts(card);
  const [title, ...sentences] = await embedder.embed([texts.title, ...texts.sentences]);
  if (title === undefined) throw new Error('the model gave no vector');
  return digestOf(card, { title, sentences }, topicVectors);
}

const byId = new Map(recorded.map((each) => [each.arxiv_id.replace(/v\d+$/, ''), each]));
let right = 0;
let given = 0;
let wanted = 0;
for (const starter of readStarterPapers(join(root, 'data', 'starter', 'papers'))) {
  const paper = byId.get(starter.id);
  if (paper === undefined) continue;
  const { tags } = await digest(paper);
  const hits = tags.filter((tag) => starter.tags.includes(tag));
  right += hits.length;
  given += tags.length;
  wanted += starter.tags.length;
  say(`${starter.title}\n  person  ${starter.tags.join(', ')}\n  ours    ${tags.join(', ')}`);
}
say(`\nagreement: precision ${right}/${given}, recall ${right}/${wanted}`);

const counts = new Map<string, number>();
const sizes: number[] = [];
const step = Math.max(1, Math.floor(recorded.length / Number(values.papers)));
const sample = recorded.filter((_, index) => index % step === 0);
for (const [index, paper] of sample.entries()) {
  const { summary, tags } = await digest({
    ...paper,
    title: readableTex(paper.title),
    abstract: readableTex(paper.abstract),
  });
  sizes.push(tags.length);
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  if (index < Number(values.show)) {
    say(`\n${paper.title} [${paper.categories.join(' ')}]\n  ${tags.join(', ')}\n  ${summary}`);
  }
}
const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
say(
  `\n${sample.length} papers, ${mean.toFixed(2)} tags each, ${sizes.filter((size) => size === 0).length} without`,
);
for (const [tag, count] of [...counts].sort((a, b) => b[1] - a[1])) say(`  ${count}  ${tag}`);
await embedder.close();

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
