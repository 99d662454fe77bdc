import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { digestOf, digestTexts } from '../src/areas/papers/digest/digest.ts';
import { readableTex } from '../src/areas/papers/digest/latex.ts';
import { TOPICS, topicText } from '../src/areas/papers/digest/topics.ts';
import { loadEmbedder } from '../src/embedding/embedder.ts';
import { measure, type Precision, placesOf, readJudgedSamples } from './digest-verdicts.ts';
import { findModelIn } from './model.ts';
import { readStarterPapers } from './starter/papers.ts';

/**
 * `tsx scripts/topics-report.ts [--papers 200] [--show 20]`: statistics of tags and summaries of the
 * recorded abstracts, agreement of the tags with those that a person gave the starter papers, and
 * precision on the judged samples under the earlier rules and the current ones. All 2,207 papers take
 * about four minutes; `--papers` takes an evenly spread sample.
 */
interface Paper {
  id: string;
  title: string;
  abstract: string;
  /** The primary one first. */
  categories: readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const shared = process.env.QUANTSHELF_SHARED ?? join(root, '..', 'shared');
const modelDir = process.env.QUANTSHELF_MODEL_DIR ?? join(shared, 'models');
const { values } = parseArgs({
  options: { papers: { type: 'string', default: '3000' }, show: { type: 'string', default: '0' } },
});

const list = z.array(
  z.object({
    arxiv_id: z.string(),
    title: z.string(),
    abstract: z.string(),
    primary_category: z.string(),
    categories: z.array(z.string()),
  }),
);
const days = z.record(
  z.string(),
  z.array(
    z.object({
      arxiv_abs_link: z.string(),
      title: z.string(),
      abstract: z.string(),
      subjects: z.string(),
    }),
  ),
);

/** The papers of both recordings, each once, without those that lack an abstract. */
function readRecorded(): Paper[] {
  const papers = new Map<string, Paper>();
  for (const [id, paper] of [...readDays(), ...readList()]) {
    const { title, abstract } = paper;
    if (!/[a-z]{3}/.test(abstract)) continue;
    papers.set(id, { ...paper, id, title: readableTex(title), abstract: readableTex(abstract) });
  }
  return [...papers.values()];
}

function readList() {
  return list.parse(readJson('qfin-2025-2026-2000.json')).map((paper) => {
    const { primary_category: primary, categories } = paper;
    const ordered = [primary, ...categories.filter((category) => category !== primary)];
    return [paper.arxiv_id.replace(/v\d+$/, ''), { ...paper, categories: ordered }] as const;
  });
}

function readDays() {
  const papers = Object.values(days.parse(readJson('qfin-2026-spring-393.json'))).flat();
  return papers.map((paper) => {
    const categories = [...paper.subjects.matchAll(/\(([a-z-]+(?:\.[A-Za-z-]+)?)\)/g)];
    const codes = categories.map(([, code = '']) => code);
    return [paper.arxiv_abs_link.replace(/^.*\//, ''), { ...paper, categories: codes }] as const;
  });
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(shared, 'data', 'papers', name), 'utf8'));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function sayPrecision(rules: string, precision: Precision): void {
  const { good, summaries, unjudgedSummaries, right, topics, unjudgedTopics } = precision;
  say(
    `  ${rules.padEnd(9)}summaries ${share(good, summaries)}, ${unjudgedSummaries} not judged; ` +
      `topics ${share(right, topics)}, ${unjudgedTopics} not judged`,
  );
}

function share(part: number, whole: number): string {
  return `${part}/${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;
}

const files = await findModelIn(modelDir);
if (files === null) throw new Error('set QUANTSHELF_MODEL_DIR to a directory with the model');
const embedder = await loadEmbedder(files, { threads: 2 });
const topicVectors = await embedder.embed(TOPICS.map(topicText));

async function digest(card: Paper) {
  const texts = digestTexts(card);
  const [title, ...sentences] = await embedder.embed([texts.title, ...texts.sentences]);
  if (title === undefined) throw new Error('the model returned no vector');
  return digestOf(card, { title, sentences }, topicVectors);
}

const recorded = readRecorded();
const byId = new Map(recorded.map((paper) => [paper.id, paper]));
const agreement = { right: 0, given: 0, wanted: 0, firstRight: 0, papers: 0 };
for (const starter of readStarterPapers(join(root, 'data', 'starter', 'papers'))) {
  const paper = byId.get(starter.id);
  if (paper === undefined) continue;
  const { tags } = await digest(paper);
  agreement.papers += 1;
  agreement.right += tags.filter((tag) => starter.tags.includes(tag)).length;
  agreement.firstRight += starter.tags.includes(tags[0] ?? '') ? 1 : 0;
  agreement.given += tags.length;
  agreement.wanted += starter.tags.length;
  say(`${starter.title}\n  person  ${starter.tags.join(', ')}\n  ours    ${tags.join(', ')}`);
}
say(`\nagreement with a person's tags on ${agreement.papers} papers`);
say(`  precision    ${share(agreement.right, agreement.given)}`);
say(`  recall       ${share(agreement.right, agreement.wanted)}`);
say(`  first right  ${share(agreement.firstRight, agreement.papers)}`);

for (const judged of readJudgedSamples(root)) {
  const today = [];
  for (const { id, summaries } of judged.papers) {
    const paper = byId.get(id);
    if (paper === undefined) throw new Error(`${id} is not among the recorded papers`);
    const { summary, tags } = await digest(paper);
    today.push({ judgement: summaries[placesOf(summary, paper.abstract)], tags });
  }
  const earlier = judged.papers.map(({ earlier: { summary, tags } }) => ({
    judgement: summary,
    tags,
  }));
  say(`\njudged by reading: the ${judged.name} sample, ${judged.papers.length} papers`);
  sayPrecision('earlier', measure(judged, earlier));
  sayPrecision('today', measure(judged, today));
}

const counts = new Map(TOPICS.map(({ topic }) => [topic, 0]));
const tagsPerPaper = [0, 0, 0, 0, 0, 0];
const sentencesPerSummary = [0, 0, 0, 0];
const lengths: number[] = [];
const step = Math.max(1, Math.floor(recorded.length / Number(values.papers)));
const sample = recorded.filter((_, index) => index % step === 0);
for (const [index, paper] of sample.entries()) {
  const { summary, tags } = await digest(paper);
  tagsPerPaper[tags.length] = (tagsPerPaper[tags.length] ?? 0) + 1;
  const chosen = placesOf(summary, paper.abstract).split(' ').filter(Boolean).length;
  sentencesPerSummary[chosen] = (sentencesPerSummary[chosen] ?? 0) + 1;
  lengths.push(summary.length);
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  if (index < Number(values.show)) {
    say(`\n${paper.title} [${paper.categories.join(' ')}]\n  ${tags.join(', ')}\n  ${summary}`);
  }
}
await embedder.close();

lengths.sort((a, b) => a - b);
const at = (part: number) => lengths[Math.floor(part * (lengths.length - 1))];
const given = tagsPerPaper.reduce((sum, papers, tags) => sum + papers * tags, 0);
say(`\n${sample.length} papers, ${(given / Math.max(1, sample.length)).toFixed(2)} tags each`);
say(`  with 0 to 5 tags         ${tagsPerPaper.join(', ')}`);
say(`  without                  ${share(tagsPerPaper[0] ?? 0, sample.length)}`);
say(`  summaries of 0 to 3      ${sentencesPerSummary.join(', ')} sentences`);
say(`  their characters         median ${at(0.5)}, 95 % below ${at(0.95)}, longest ${at(1)}`);
for (const [tag, count] of [...counts].sort((a, b) => b[1] - a[1])) say(`  ${count}  ${tag}`);
