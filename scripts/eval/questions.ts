import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readRecordedPapers } from '../../test/stand-ins/arxiv-papers.ts';
import { readScifactPapers, SCIFACT, type ShelfName } from './records.ts';

/** Questions of one kind to one shelf, see data/eval/README.md. */
export interface QuestionSet {
  /** Unique over all shelves. */
  name: string;
  shelf: ShelfName;
  tool: 'paper_search' | 'prediction_market_event_search' | 'macro_indicator_search';
  /** Whether they are asked once more without their answers, which tells if `strong` is right. */
  isWithdrawn: boolean;
  questions: readonly Question[];
}

export interface Question {
  query: string;
  half: Half;
  /** Grade of each card that answers: 2 squarely, 1 in part. Empty if none does. */
  grades: ReadonlyMap<string, number>;
}

export type Half = 'train' | 'test';

const EVAL = 'data/eval';
const answered = z.strictObject({ query: z.string(), relevant: z.record(z.string(), z.number()) });
const questionFile = z.record(
  z.string(),
  z.partialRecord(z.enum(['train', 'test']), z.array(z.union([z.string(), answered]))),
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
      /** Expression that titles on the subject match. */
      title: z.string().default(''),
      /** Only so many of the newest count. */
      newest: z.number().optional(),
    }),
  ),
);

/** All sets whose shelves can be built, with the questions of both halves. */
export function readQuestions(): QuestionSet[] {
  const events = { tool: 'prediction_market_event_search', isWithdrawn: false } as const;
  const papers = { tool: 'paper_search', isWithdrawn: false } as const;
  return [
    ...readFile('papers.json', { ...papers, shelf: 'papers', isWithdrawn: true }),
    ...readRestricted(),
    ...readFile('events.json', { ...events, shelf: 'events', isWithdrawn: true }),
    ...readScifact(),
    ...readFile('starter-papers.json', { ...papers, shelf: 'starter' }),
    ...readFile('starter-events.json', { ...events, shelf: 'starter' }),
    ...readFile('macro.json', {
      tool: 'macro_indicator_search',
      isWithdrawn: false,
      shelf: 'starter',
    }),
  ];
}

function readFile(
  file: string,
  common: Pick<QuestionSet, 'shelf' | 'tool' | 'isWithdrawn'>,
): QuestionSet[] {
  const sets = questionFile.parse(JSON.parse(readFileSync(join(EVAL, file), 'utf8')));
  return Object.entries(sets).map(([name, halves]) => ({
    ...common,
    name: `${file.replace('.json', '')}: ${name}`,
    questions: (['train', 'test'] as const).flatMap((half) =>
      (halves[half] ?? []).map((one) => {
        const { query, relevant } = typeof one === 'string' ? { query: one, relevant: {} } : one;
        return { query, half, grades: new Map(Object.entries(relevant)) };
      }),
    ),
  }));
}

/** Questions with an author or a date, as fields and in prose; the recorded facts say what answers them. */
function readRestricted(): QuestionSet[] {
  const file = restrictedFile.parse(
    JSON.parse(readFileSync(join(EVAL, 'restricted.json'), 'utf8')),
  );
  const papers = readRecordedPapers().toSorted((a, b) => b.published.localeCompare(a.published));
  if (papers.length === 0) return [];
  const sets = Object.entries(file).flatMap(([kind, all]) =>
    (['fields', 'prose'] as const).map((wording) => ({
      name: `papers: ${kind}, ${wording === 'prose' ? 'in prose' : 'as fields'}`,
      questions: all.map(({ [wording]: query, author, since, until, title, newest }) => {
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
        const grades = new Map(matches.slice(0, newest).map(({ id }) => [id, 1]));
        return { query, half: 'test' as const, grades };
      }),
    })),
  );
  return sets.map((set) => ({
    ...set,
    shelf: 'papers',
    tool: 'paper_search',
    isWithdrawn: false,
  }));
}

/** The claims of SciFact; the train half comes from the claims themselves. */
function readScifact(): QuestionSet[] {
  if (!existsSync(SCIFACT)) return [];
  const lines = (name: string) => readFileSync(join(SCIFACT, name), 'utf8').trim().split('\n');
  const idOf = new Map(readScifactPapers().map(({ document, id }) => [document, id]));
  const grades: Record<Half, Map<string, Map<string, number>>> = {
    train: new Map(),
    test: new Map(),
  };
  const add = (half: Half, query: string, document: string) => {
    const id = idOf.get(document);
    const own = grades[half].get(query) ?? new Map<string, number>();
    if (id !== undefined) grades[half].set(query, own.set(id, 1));
  };
  for (const line of lines('qrels.test.trec.txt')) {
    const [query = '', , document = '', grade] = line.split(/\s+/);
    if (Number(grade) > 0) add('test', query, document);
  }
  // The id comes first and the cited documents last; the claim between them may hold commas.
  for (const line of lines('train-claims.csv').slice(1)) {
    const [query = ''] = line.split(',');
    const [, cited = ''] = /\[([\d, ]*)\]"?\s*$/.exec(line) ?? [];
    for (const document of cited.match(/\d+/g) ?? []) add('train', query, document);
  }
  const claim = z.object({ _id: z.string(), text: z.string() });
  const questions = lines('queries.jsonl').flatMap((line) => {
    const { _id, text } = claim.parse(JSON.parse(line));
    return (['train', 'test'] as const).flatMap((half) => {
      const own = grades[half].get(_id);
      return own === undefined ? [] : [{ query: text, half, grades: own }];
    });
  });
  const name = 'SciFact: claims';
  return [{ name, shelf: 'scifact', tool: 'paper_search', isWithdrawn: false, questions }];
}
