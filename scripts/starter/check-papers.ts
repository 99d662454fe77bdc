import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { isWithdrawn } from '../../src/areas/papers/arxiv/records.ts';
import { readStarterPapers, type StarterPaper } from './papers.ts';

const recordedPaper = z.object({
  arxiv_id: z.string(),
  title: z.string(),
  abstract: z.string(),
  authors: z.array(z.string()),
  primary_category: z.string(),
  categories: z.array(z.string()),
  published: z.string(),
  comment: z.string().nullable().default(null),
});
type RecordedPaper = z.infer<typeof recordedPaper>;

const topicFile = z.strictObject({
  topics: z.array(
    z.strictObject({
      topic: z.string(),
      categories: z.array(z.string()).min(1),
      words: z.array(z.string()).min(3).max(40),
    }),
  ),
  neutral: z.array(z.string()),
});

/** The recorded file with version, authors and date, so that every fact can be checked. */
const RECORDED = 'data/papers/qfin-2025-2026-2000.json';
const CATEGORIES = [
  'econ.GN',
  ...['CP', 'GN', 'MF', 'PM', 'PR', 'RM', 'ST', 'TR'].map((code) => `q-fin.${code}`),
];
const MIN_PAPERS = 120;
const NOTE_WORDS = { min: 120, max: 250 };
const LONGEST_RUN = 6;
const NUMBER_WORDS: Readonly<Record<string, string>> = {
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  eleven: '11',
  twelve: '12',
};
function readJson<T>(schema: z.ZodType<T>, path: string): T {
  const data: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return schema.parse(data);
}

/** Lower-case words; a hyphen separates words, so "order-flow" and "order flow" are the same run. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function runsOf(text: string): string[] {
  const words = wordsOf(text);
  const length = LONGEST_RUN + 1;
  return words.slice(length - 1).map((_, start) => words.slice(start, start + length).join(' '));
}

/** Figures without thousands separators: "3,968" and "3968" are one figure. */
function figuresOf(text: string): string[] {
  const figures = text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(\.\d+)*/g) ?? [];
  return figures;
}

/** Numbers, in digits or, from three up, in words; smaller ones are ordinary language. */
function numbersOf(text: string): string[] {
  return [...figuresOf(text), ...wordsOf(text).flatMap((word) => NUMBER_WORDS[word] ?? [])];
}

function checkFacts(paper: StarterPaper, recorded: RecordedPaper): string[] {
  const version = /v(\d+)$/.exec(recorded.arxiv_id)?.[1];
  const primary = recorded.primary_category;
  const pairs: [string, unknown, unknown][] = [
    ['version', paper.version, version === undefined ? undefined : Number(version)],
    ['title', paper.title, recorded.title],
    ['authors', paper.authors, recorded.authors],
    [
      'categories',
      paper.categories,
      [primary, ...recorded.categories.filter((category) => category !== primary)],
    ],
    ['published', paper.published, recorded.published.slice(0, 10)],
    ['pdf_url', paper.pdfUrl, `https://arxiv.org/pdf/${recorded.arxiv_id}`],
  ];
  const withdrawn = isWithdrawn(recorded) ? ['was withdrawn'] : [];
  const differing = pairs
    .filter(([, ours, theirs]) => JSON.stringify(ours) !== JSON.stringify(theirs))
    .map(([name, ours, theirs]) => {
      return `${name} is ${JSON.stringify(ours)}, recorded ${JSON.stringify(theirs)}`;
    });
  return [...withdrawn, ...differing];
}

function checkProse(paper: StarterPaper, recorded: RecordedPaper): string[] {
  const faults: string[] = [];
  const source = `${recorded.title}\n${recorded.abstract}`;
  const notes = paper.sections.map((section) => section.content);
  const sentences = paper.digest.replaceAll('U.S.', 'US').match(/[.!?](?=\s|$)/g)?.length ?? 0;
  if (sentences < 2 || sentences > 3) faults.push(`the digest has ${sentences} sentences`);
  for (const title of ['Question', 'Findings']) {
    if (paper.sections.every((section) => section.title !== title)) {
      faults.push(`no ${title}, of which the summary is made`);
    }
  }
  const length = notes.join(' ').split(/\s+/).length;
  if (length < NOTE_WORDS.min || length > NOTE_WORDS.max) {
    faults.push(`the notes have ${length} words`);
  }
  const theirRuns = new Set([...runsOf(recorded.title), ...runsOf(recorded.abstract)]);
  const theirNumbers = new Set(numbersOf(source));
  for (const text of [paper.digest, ...notes]) {
    for (const run of runsOf(text)) {
      if (theirRuns.has(run)) faults.push(`copied: "${run}"`);
    }
    for (const number of numbersOf(text)) {
      if (!theirNumbers.has(number)) faults.push(`the abstract has no ${number}`);
    }
  }
  return faults;
}

/** Checks starter papers and topics against the recorded metadata; returns the faults. */
export function checkStarterPapers(dataDir: string, sharedDir: string): string[] {
  const papers = readStarterPapers(join(dataDir, 'starter/papers'));
  const recorded = new Map(
    readJson(z.array(recordedPaper), join(sharedDir, RECORDED)).map((paper) => {
      return [paper.arxiv_id.replace(/v\d+$/, ''), paper];
    }),
  );
  const topics = readJson(topicFile, join(dataDir, 'topics.json')).topics.map(({ topic }) => topic);
  const faults: string[] = [];
  if (new Set(topics).size !== topics.length) faults.push('topics.json: a topic appears twice');
  if (papers.length < MIN_PAPERS) {
    faults.push(`${papers.length} papers`);
  }
  const covered = new Set(papers.flatMap((paper) => paper.categories));
  for (const category of CATEGORIES) {
    if (!covered.has(category)) faults.push(`no paper in ${category}`);
  }
  for (const paper of papers) {
    const source = recorded.get(paper.id);
    const own = paper.tags
      .filter((tag, at) => !topics.includes(tag) || paper.tags.indexOf(tag) !== at)
      .map((tag) => `tag "${tag}" is unknown or repeated`);
    if (source === undefined) own.push('is not in the recorded metadata');
    else own.push(...checkFacts(paper, source), ...checkProse(paper, source));
    faults.push(...own.map((fault) => `${paper.id}: ${fault}`));
  }
  return faults;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = checkStarterPapers(process.argv[2] ?? 'data', process.argv[3] ?? '../shared');
  process.stdout.write(faults.length === 0 ? 'starter papers: clean\n' : `${faults.join('\n')}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
