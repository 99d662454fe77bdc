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

/**
 * The recorded events among made ones that are near to them: other central banks, months, coins and
 * companies; once with their own questions, once with later ones, on which nothing was fitted. Empty if
 * the recordings are not available.
 */
export async function readNeighbours(
  shared: string,
  embedder: CachedEmbedder,
): Promise<Collection[]> {
  const recorded = await storeRecordedEvents(shared);
  if (recorded === null) return [];
  const made = readEval('neighbour-events.json', neighbourFile).map(toGamma).map(parseGammaEvent);
  const outside = made.filter((event) => !isFinance(event));
  if (outside.length > 0) throw new Error(`out of scope: ${outside.map(({ title }) => title)}`);
  await storeSeenEvents(recorded.db, made, AT);
  await embedEvents(recorded.db, embedder.embed, { signal: new AbortController().signal });
  const read = (file: string) => readEval(file, judgedFile).map((one) => withGrades(one, Number));
  const questions = read('asked-events.json');
  return [
    {
      ...recorded,
      name: 'events among neighbours',
      judged: questions.filter(({ grades }) => grades.size > 0),
      notHeld: questions.filter(({ grades }) => grades.size === 0),
    },
    {
      ...recorded,
      name: 'events among neighbours, asked later',
      judged: read('asked-events-2.json'),
      notHeld: [],
    },
  ];
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
