import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import topicFile from '../../data/topics.json' with { type: 'json' };
import { readStarterPapers } from '../starter/papers.ts';
import { readRecordedPapers } from './recorded-papers.ts';
import { readRecords, readScifactPapers, SCIFACT, type ShelfName } from './records.ts';

/** A judged question; see data/eval/README.md. */
export interface Question extends Target {
  /** Its row in the table, such as "papers: topics". */
  set: string;
  half: Half;
  query: string;
  /** Grade of each card that answers: 2 squarely, 1 in part. Empty if none does. */
  grades: ReadonlyMap<string, number>;
}

interface Target {
  shelf: ShelfName;
  tool: 'paper_search' | 'prediction_market_event_search' | 'macro_indicator_search';
  /** Whether it is also asked without its answers, which shows if `strong` is right. */
  isWithdrawn?: boolean;
}

type Half = (typeof HALVES)[number];

const HALVES = ['train', 'test'] as const;
const EVAL = 'data/eval';
type Grades = Map<string, number>;
const claimLine = z.object({ _id: z.string(), text: z.string() });
const answered = z.strictObject({ query: z.string(), relevant: z.record(z.string(), z.number()) });
const questionFile = z.record(
  z.string(),
  z.partialRecord(z.enum(HALVES), z.array(z.union([z.string(), answered]))),
);
const restrictedFile = z.record(
  z.string(),
  z.array(
    z.strictObject({
      prose: z.string(),
      fields: z.string(),
      author: z.string().optional(),
      /** First and last day, month or year of publication. */
      since: z.string().default('0'),
      until: z.string().default('9'),
      /** Regular expression that matches titles on the subject. */
      title: z.string().default(''),
      /** Number of the newest papers that count; all if absent. */
      newest: z.number().optional(),
    }),
  ),
);

/** Files whose questions list the ids of their answers. */
const FILES: Readonly<Record<string, Target>> = {
  papers: { shelf: 'papers', tool: 'paper_search', isWithdrawn: true },
  events: { shelf: 'events', tool: 'prediction_market_event_search', isWithdrawn: true },
  'starter-papers': { shelf: 'starter', tool: 'paper_search' },
  'starter-events': { shelf: 'starter', tool: 'prediction_market_event_search' },
  macro: { shelf: 'starter', tool: 'macro_indicator_search' },
};

/** The questions of both halves whose shelves can be built, set by set. */
export function readQuestions(): Question[] {
  const files = Object.entries(FILES).flatMap(([name, target]) => readFile(name, target));
  const framed = files.flatMap((question, at) => frameOf(question, at));
  const short = BY_SIZE.flatMap(({ shelf, prefix }) => readShort(shelf, prefix));
  return [...files, ...framed, ...short, ...readRestricted(), ...readScifact()];
}

/** Shelves of four sizes, and the prefixes of their sets. */
const BY_SIZE = [
  { shelf: 'starter', prefix: 'starter-papers' },
  { shelf: 'small', prefix: 'small' },
  { shelf: 'papers', prefix: 'papers' },
  { shelf: 'large', prefix: 'large' },
] as const;
/** Sets whose questions are also asked in a polite frame; frames alternate. */
const FRAMED =
  /^(?:papers: (?:topics|known items|described|in few words|another field)|starter-papers: answered)$/;

function frameOf(question: Question, at: number): Question[] {
  if (!FRAMED.test(question.set)) return [];
  const query = framesOf(question.query, question.half, at, 1).join();
  const isOther = question.grades.size === 0;
  const name = isOther ? 'another field, framed' : 'framed';
  const sets = question.shelf === 'papers' && !isOther ? ['papers', 'large'] : [question.shelf];
  return sets.map((shelf) =>
    shelf === 'large'
      ? { ...question, query, shelf: 'large', set: `large: ${name}`, isWithdrawn: false }
      : { ...question, query, set: `${question.set.replace(/:.*/, '')}: ${name}` },
  );
}

/** If this many papers contain every word of a subject, no reply to it may be `none`. */
const ENOUGH = 10;
const SURNAMES = 90;

/** Topics by name, short subjects with enough papers on a shelf, and surnames alone. */
type PaperShelf = (typeof BY_SIZE)[number]['shelf'];

function readShort(shelf: PaperShelf, prefix: string): Question[] {
  const papers = listPapers(shelf);
  const holdAll = (subject: string) => {
    // Plurals and other endings count as the same word.
    const words = (subject.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(
      (word) => word !== 'and',
    );
    const starts = words.map((word) => {
      const stem = word.slice(0, Math.max(5, word.length - 2));
      // A short word must match whole: CVA is not CVaR.
      const end = word.length < 5 ? 's?(?![\\p{L}\\p{N}])' : '';
      return new RegExp(`(?<![\\p{L}\\p{N}])${stem}${end}`, 'u');
    });
    return papers.filter(({ text }) => starts.every((start) => start.test(text))).length;
  };
  const tool = 'paper_search';
  const ask = (name: string, half: Half, queries: readonly string[]): Question[] =>
    queries
      .filter((query) => holdAll(query) >= ENOUGH)
      .map((query) => ({ shelf, tool, set: `${prefix}: ${name}`, half, query, grades: new Map() }));
  const subjects = subjectFile.parse(readJson('subjects.json'));
  const bySurname = new Map<string, string[]>();
  for (const { id, surnames } of papers) {
    for (const name of surnames) bySurname.set(name, [...(bySurname.get(name) ?? []), id]);
  }
  const names = [...bySurname].sort(([a], [b]) => (a < b ? -1 : 1));
  const step = Math.max(1, Math.floor(names.length / SURNAMES));
  return [
    ...ask('topics by name', 'test', Object.keys(topicFile.topics)),
    ...HALVES.flatMap((half) => ask('short subjects', half, subjects[half])),
    ...names
      .filter((_, at) => at % step === 0)
      .slice(0, SURNAMES)
      .map(([query, ids]) => {
        const grades = new Map(ids.map((id) => [id, 1]));
        return { shelf, tool, set: `${prefix}: surnames`, half: 'test', query, grades } as const;
      }),
  ];
}

function listPapers(shelf: PaperShelf): { id: string; text: string; surnames: string[] }[] {
  if (shelf === 'starter') {
    return readStarterPapers('data/starter/papers').map(({ id, title, digest, authors }) => ({
      id,
      text: `${title} ${digest}`.toLowerCase(),
      surnames: authors.flatMap((name) => name.split(' ').at(-1) ?? []),
    }));
  }
  return (readRecords(shelf)?.papers ?? []).map(({ id, title, abstract, authors }) => ({
    id,
    text: `${title} ${abstract}`.toLowerCase(),
    surnames: authors.flatMap(({ keyname }) => keyname),
  }));
}

function readFile(file: string, target: Target): Question[] {
  const sets = questionFile.parse(readJson(`${file}.json`));
  return Object.entries(sets).flatMap(([name, halves]) =>
    HALVES.flatMap((half) =>
      (halves[half] ?? []).map((one) => {
        const { query, relevant } = typeof one === 'string' ? { query: one, relevant: {} } : one;
        const grades = new Map(Object.entries(relevant));
        return { ...target, set: `${file}: ${name}`, half, query, grades };
      }),
    ),
  );
}

const subjectFile = z.record(z.enum(HALVES), z.array(z.string()));
const frameFile = z.record(z.enum(HALVES), z.array(z.string()));

/** A question in `count` of a half's polite frames, chosen by its index `at`. */
export function framesOf(query: string, half: Half, at: number, count: number): string[] {
  const frames = frameFile.parse(readJson('frames.json'))[half];
  return Array.from({ length: count }, (_, step) =>
    (frames[(at + step) % frames.length] ?? '').replace('{}', () => query),
  );
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(EVAL, name), 'utf8'));
}

/** Questions with an author or a date, in two wordings; the recorded papers determine the answers. */
function readRestricted(): Question[] {
  const papers = readRecordedPapers().toSorted((a, b) => b.published.localeCompare(a.published));
  if (papers.length === 0) return [];
  return Object.entries(restrictedFile.parse(readJson('restricted.json'))).flatMap(([kind, all]) =>
    (['fields', 'prose'] as const).flatMap((wording) =>
      all.map(({ [wording]: query, author, since, until, title, newest }) => {
        const isOn = new RegExp(title, 'i');
        const matches = papers.filter(
          (paper) =>
            isOn.test(paper.title) &&
            paper.published >= since &&
            paper.published.slice(0, until.length) <= until &&
            (author === undefined ||
              paper.authors.some(({ forenames, keyname }) => `${forenames} ${keyname}` === author)),
        );
        if (matches.length === 0) throw new Error(`no recorded paper answers "${query}"`);
        const set = `papers: ${kind}, ${wording === 'prose' ? 'in prose' : 'as fields'}`;
        const grades = new Map(matches.slice(0, newest).map(({ id }) => [id, 1]));
        return { shelf: 'papers', tool: 'paper_search', set, half: 'test', query, grades } as const;
      }),
    ),
  );
}

/** The claims of SciFact. Its relevance file covers only the test half; claims of the train half cite their papers. */
function readScifact(): Question[] {
  if (!existsSync(SCIFACT)) return [];
  const lines = (name: string) => readFileSync(join(SCIFACT, name), 'utf8').trim().split('\n');
  const idOf = new Map(readScifactPapers().map(({ document, id }) => [document, id]));
  const grades = { train: new Map<string, Grades>(), test: new Map<string, Grades>() };
  const add = (half: Half, claim: string, document: string) => {
    const id = idOf.get(document);
    const own = grades[half].get(claim) ?? new Map();
    if (id !== undefined) grades[half].set(claim, own.set(id, 1));
  };
  for (const line of lines('qrels.test.trec.txt')) {
    const [claim = '', , document = '', grade] = line.split(/\s+/);
    if (Number(grade) > 0) add('test', claim, document);
  }
  // The id comes first and the cited documents last; the claim in between may contain commas.
  for (const line of lines('train-claims.csv').slice(1)) {
    const [claim = ''] = line.split(',');
    const [, cited = ''] = /\[([\d, ]*)\]"?\s*$/.exec(line) ?? [];
    for (const document of cited.match(/\d+/g) ?? []) add('train', claim, document);
  }
  const common = { shelf: 'scifact', tool: 'paper_search', set: 'SciFact: claims' } as const;
  return lines('queries.jsonl').flatMap((line) => {
    const { _id, text: query } = claimLine.parse(JSON.parse(line));
    return HALVES.flatMap((half) => {
      const own = grades[half].get(_id);
      return own === undefined ? [] : [{ ...common, half, query, grades: own }];
    });
  });
}
