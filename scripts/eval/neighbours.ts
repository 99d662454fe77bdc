import * as z from 'zod';
import { isFinance } from '../../src/areas/markets/scope/scope.ts';
import { parseGammaEvent } from '../../src/areas/markets/source.ts';
import { embedEvents } from '../../src/areas/markets/sync/embed-events.ts';
import { storeSeenEvents } from '../../src/areas/markets/sync/ingest.ts';
import {
  AT,
  type Collection,
  judgedFile,
  readEval,
  storeRecordedEvents,
  withGrades,
} from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';

const neighbourFile = z.array(
  z.strictObject({
    id: z.string(),
    title: z.string(),
    end: z.string(),
    tags: z.array(z.string()),
    /** Of its markets; none for a single market, which asks what the title does. */
    labels: z.array(z.string()),
    rules: z.string(),
  }),
);

const nearFile = z.array(
  z.object({
    query: z.string(),
    half: z.enum(['train', 'test']),
    /** Events that the first five should hold, though they do not answer. */
    near: z.array(z.string()).default([]),
  }),
);

const NEAR = ['neighbour-events.json'];
const ALL = [...NEAR, 'neighbour-events-2.json'];
/** The further neighbours are of the months after this. */
const LATER = new Date('2026-11-23T12:00:00Z');

/**
 * The recorded events among made ones that are near to them: other central banks, months, coins and
 * companies; once with their own questions, once with later ones, on which nothing was fitted. Then the
 * same shelf with more neighbours, of 2026 and 2027, asked by a hand that had not seen the ranking,
 * again for what they do not say, with details that they lack, in questions kept for the test, and last by
 * other names than those of the cards. Empty if the recordings are not available.
 */
export async function readNeighbours(
  shared: string,
  embedder: CachedEmbedder,
): Promise<Collection[]> {
  const near = await storeNeighbours(shared, NEAR, embedder);
  const all = await storeNeighbours(shared, ALL, embedder);
  if (near === null || all === null) return [];
  return [
    { ...near, name: 'events among neighbours', ...readAsked('asked-events.json') },
    { ...near, name: 'events among neighbours, asked later', ...readAsked('asked-events-2.json') },
    {
      ...all,
      name: 'events among more neighbours',
      askedAt: LATER,
      ...readAsked('asked-events-3.json'),
    },
    {
      ...all,
      name: 'events among more neighbours, and their opposites',
      askedAt: LATER,
      ...readAsked('asked-events-4.json'),
    },
    {
      ...all,
      name: 'events among more neighbours, over-specified',
      askedAt: LATER,
      ...readAsked('over-specified-events.json'),
      isSecond: true,
    },
    {
      ...all,
      name: 'events among more neighbours, asked last',
      askedAt: LATER,
      ...readAsked('asked-events-5.json'),
      isSecond: true,
    },
    {
      ...all,
      name: 'events among more neighbours, by other names',
      askedAt: LATER,
      ...readAsked('asked-events-names.json'),
      isSecond: true,
    },
  ];
}

/** A shelf with the recorded events and the made ones of these files; null without the recordings. */
async function storeNeighbours(
  shared: string,
  files: readonly string[],
  embedder: CachedEmbedder,
): Promise<Pick<Collection, 'db' | 'index'> | null> {
  const recorded = await storeRecordedEvents(shared);
  if (recorded === null) return null;
  const made = files
    .flatMap((file) => readEval(file, neighbourFile))
    .map(toGamma)
    .map(parseGammaEvent);
  const outside = made.filter((event) => !isFinance(event));
  if (outside.length > 0) throw new Error(`out of scope: ${outside.map(({ title }) => title)}`);
  await storeSeenEvents(recorded.db, made, AT);
  await embedEvents(recorded.db, embedder.embed, { signal: new AbortController().signal });
  return recorded;
}

/** Questions, and those of them that no event answers, with the nearest events where they are judged. */
function readAsked(file: string): Pick<Collection, 'judged' | 'notHeld' | 'near'> {
  const questions = readEval(file, judgedFile).map((one) => withGrades(one, Number));
  const near = readEval(file, nearFile).filter(({ near }) => near.length > 0);
  return {
    judged: questions.filter(({ grades }) => grades.size > 0),
    notHeld: questions.filter(({ grades }) => grades.size === 0),
    near: near.map(({ query, half, near }) => ({
      query,
      half,
      grades: new Map(near.map((id) => [Number(id), 1])),
    })),
  };
}

/** As Polymarket would send it. */
function toGamma({ id, title, end, tags, labels, rules }: z.infer<typeof neighbourFile>[number]) {
  const slug = slugOf(title);
  const single = [{ groupItemTitle: '', question: title }];
  const grouped = labels.map((label) => ({ groupItemTitle: label, question: `${title} ${label}` }));
  return {
    id,
    slug,
    title,
    description: rules,
    startDate: '2025-01-02T00:00:00Z',
    endDate: `${end}T12:00:00Z`,
    active: true,
    closed: false,
    archived: false,
    volume: 1_000,
    liquidity: 1_000,
    tags: tags.map((tag, at) => ({ id: String(at), label: tag, slug: tag })),
    markets: (labels.length > 0 ? grouped : single).map((market, at) => ({
      ...market,
      id: `${id}${String(at).padStart(2, '0')}`,
      slug: `${slug}-${at}`,
      outcomes: '["Yes", "No"]',
      outcomePrices: '["0.5", "0.5"]',
      active: true,
      closed: false,
      archived: false,
      endDate: `${end}T12:00:00Z`,
    })),
  };
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');
}
