import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { SHARED_DIR } from '../../test/shared.ts';
import { makePaper, type StandInPaper } from '../../test/stand-ins/arxiv-papers.ts';
import type { WireEvent } from '../../test/stand-ins/polymarket.ts';
import { readRecordedPapers } from './recorded-papers.ts';

/** The data that stand-ins serve to `quantshelf sync`, by shelf. */

/**
 * `starter` is the bundled shelf alone; the others are synced on top of it. `small` and `large` are
 * `papers` at other sizes.
 */
export type ShelfName = 'papers' | 'small' | 'large' | 'events' | 'scifact' | 'starter';

export interface Records {
  papers: readonly StandInPaper[];
  events: readonly WireEvent[];
}

export const SCIFACT = join(SHARED_DIR, 'data/retrieval/scifact');
const JUDGED = 'data/eval/papers.json';
/** One recorded paper in this many is on the small shelf. */
const SMALL_SHARE = 4;
const MADE_PAPERS = 8_000;
/** A prime, so that no two papers are combined twice. */
const STRIDE = 211;
/** A category with fewer papers cannot be permuted without repetition. */
const FEW = 100;
const MADE_EVENTS = 'data/eval/made-events.json';
const RECORDED_EVENTS = [
  'gamma-events-100-a.json',
  'gamma-events-100-b.json',
  'gamma-events-legacy-closed-10.json',
].map((name) => join(SHARED_DIR, 'data/markets', name));

/** Null if the recordings are missing. */
export function readRecords(shelf: ShelfName): Records | null {
  const papers = shelf === 'scifact' ? readScifactPapers() : readPapers(shelf);
  const events = shelf === 'events' ? readEvents() : [];
  return shelf === 'starter' || papers.length + events.length > 0 ? { papers, events } : null;
}

function readPapers(shelf: ShelfName): StandInPaper[] {
  if (shelf === 'starter' || shelf === 'events') return [];
  const papers = readRecordedPapers();
  if (shelf === 'small') return papers.filter((_, at) => at % SMALL_SHARE === 0);
  return shelf === 'large' && papers.length > 0 ? [...papers, ...permute(papers)] : papers;
}

/**
 * Synthetic papers, each with the title and first sentences of one recorded paper and the last sentences of
 * another in its category. Judged papers are left out: a paper derived from an answer would also answer.
 */
function permute(papers: readonly StandInPaper[]): StandInPaper[] {
  const judged = new Set(readJudged());
  const material = papers.filter(({ id }) => !judged.has(id));
  const sentencesOf = ({ abstract }: StandInPaper) =>
    abstract.replace(/\s+/g, ' ').split(/(?<=[.!?]) /);
  return Array.from({ length: MADE_PAPERS }, (_, at) => {
    const first = pick(material, at);
    const peers = material.filter(({ categories: [primary] }) => primary === first.categories[0]);
    const last = pick(
      peers.length < FEW ? material : peers,
      (Math.floor(at / material.length) + 1) * STRIDE + at,
    );
    const abstract = [...sentencesOf(first).slice(0, 2), ...sentencesOf(last).slice(-2)].join(' ');
    const id = `2401.${String(at + 1).padStart(5, '0')}`;
    return { ...first, id, abstract };
  });
}

function pick<T>(items: readonly T[], at: number): T {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Ids of the recorded papers that answer a question. */
function readJudged(): string[] {
  const halves = z.record(z.string(), z.record(z.string(), z.array(z.unknown())));
  const sets = Object.values(halves.parse(JSON.parse(readFileSync(JUDGED, 'utf8'))));
  return sets
    .flatMap((half) => Object.values(half).flat())
    .flatMap((one) => Object.keys(judgement.safeParse(one).data?.relevant ?? {}));
}

const judgement = z.object({ relevant: z.record(z.string(), z.number()) });

/** The recorded events, each in its last state, and similar synthetic ones; none without the recordings. */
function readEvents(): WireEvent[] {
  if (!RECORDED_EVENTS.every((path) => existsSync(path))) return [];
  const wire = z.array(z.looseObject({ id: z.string() }));
  const recorded = RECORDED_EVENTS.flatMap((path) =>
    wire.parse(JSON.parse(readFileSync(path, 'utf8'))),
  );
  const made = madeFile.parse(JSON.parse(readFileSync(MADE_EVENTS, 'utf8'))).map(toWire);
  return [...new Map([...recorded, ...made].map((event) => [event.id, event])).values()];
}

const madeFile = z.array(
  z.strictObject({
    id: z.string(),
    title: z.string(),
    end: z.string(),
    tags: z.array(z.string()),
    /** One per market; none for a single market, which repeats the title. */
    labels: z.array(z.string()),
    rules: z.string(),
  }),
);

/** An event as Polymarket would send it. */
function toWire({ id, title, end, tags, labels, rules }: z.output<typeof madeFile>[number]) {
  const slug = title.toLowerCase().replace(/[^a-z\d]+/g, '-');
  const questions = labels.length > 0 ? labels.map((label) => `${title} ${label}`) : [title];
  const open = { active: true, closed: false, archived: false, endDate: `${end}T12:00:00Z` };
  return {
    ...open,
    id,
    slug,
    title,
    description: rules,
    startDate: '2025-01-02T00:00:00Z',
    volume: 1_000,
    liquidity: 1_000,
    tags: tags.map((tag, at) => ({ id: String(at), label: tag, slug: tag })),
    markets: questions.map((question, at) => ({
      ...open,
      question,
      groupItemTitle: labels[at] ?? '',
      id: `${id}${String(at).padStart(2, '0')}`,
      slug: `${slug}-${at}`,
      outcomes: '["Yes", "No"]',
      outcomePrices: '["0.5", "0.5"]',
    })),
  };
}

const document = z.object({ _id: z.string(), title: z.string(), text: z.string() });

/** SciFact's abstracts as arXiv papers; none without the recordings. */
export function readScifactPapers(): (StandInPaper & { document: string })[] {
  if (!existsSync(SCIFACT)) return [];
  const lines = readFileSync(join(SCIFACT, 'corpus.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line, at) => {
    const { _id, title, text } = document.parse(JSON.parse(line));
    // An id in arXiv's format.
    const id = `2601.${String(at + 1).padStart(5, '0')}`;
    const day = '2026-01-15';
    const days = { datestamp: day, published: day, updated: day };
    const categories = ['q-fin.GN'];
    return { ...makePaper({ id, title, abstract: text, categories, ...days }), document: _id };
  });
}
