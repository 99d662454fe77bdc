import { type Asked, type Asking, ask } from '../../src/store/search/ask.ts';
import type { Filter } from '../../src/store/search/filter.ts';
import type { Match } from '../../src/store/search/match.ts';
import type { Ranking } from '../../src/store/search/ranking.ts';
import { search } from '../../src/store/search/search.ts';
import { RANKING } from '../../src/store/search/weights.ts';
import type { Collection, Judged } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { interval, type Measures, mean, measure } from './measures.ts';

/** Hybrid search and its baselines: lexical only, card vectors, card and passage vectors. */
export type Mode = 'lexical' | 'cards' | 'passages' | 'hybrid';
const MODES: readonly Mode[] = ['lexical', 'cards', 'passages', 'hybrid'];
const BASELINES = ['lexical', 'cards', 'passages'] as const;
const LABELS: Readonly<Record<Mode, string>> = {
  lexical: 'lexical only',
  cards: 'card vectors',
  passages: 'card and passage vectors',
  hybrid: 'hybrid',
};
/** Deep enough to reorder the results by cosine only. */
const DEEP = 100;
const { short: SHORT } = RANKING;
const CUT = 10;

/** A filter that excludes some cards. */
function allBut(name: string, withheld: readonly number[]): Filter {
  const where = 'c.id NOT IN (SELECT value FROM json_each(@withheld))';
  const params = { withheld: JSON.stringify(withheld) };
  return { from: `${name}_vector c`, id: 'c.id', where, params };
}

const NO_MODEL = { embedQuery: async () => ({ unavailable: '' }), isWord: async () => false };

/** The day of the recorded events. */
const RECORDED = new Date('2025-06-24T12:00:00Z');

/** Where a query is asked, and when. */
type Place = Pick<Collection, 'db' | 'index' | 'askedAt'>;

/** What reading a question needs. */
export function contextOf(
  { db, askedAt = RECORDED }: Pick<Place, 'db' | 'askedAt'>,
  embedder: CachedEmbedder,
): Asking {
  return {
    db,
    now: () => askedAt,
    isWord: embedder.isWord,
    async embedQuery(text) {
      const [vector = new Float32Array()] = await embedder.embed([text]);
      return { vector };
    },
  };
}

/** The ranking of a query in a mode, without the withheld cards; read as the tools read it. */
export async function searchIn(
  place: Place,
  query: string,
  embedder: CachedEmbedder,
  mode: Mode,
  withheld: readonly number[] = [],
): Promise<Ranking> {
  if (mode === 'lexical' || mode === 'hybrid') {
    return askIn(place, query, embedder, mode, withheld);
  }
  const { db, index } = place;
  const filter = withheld.length === 0 ? {} : { filter: allBut(index.name, withheld) };
  const [vector = new Float32Array()] = await embedder.embed([query]);
  const ranking = await search(db, index, { text: '', vector, limit: DEEP, ...filter });
  const share = mode === 'cards' ? 0 : SHORT.passage / (SHORT.card + SHORT.passage);
  const score = ({ cosine, maxPassageCosine }: Match) =>
    (1 - share) * (cosine ?? 0) + share * (maxPassageCosine ?? 0);
  const matches = ranking.matches.toSorted((a, b) => score(b) - score(a)).slice(0, CUT);
  return { ...ranking, matches };
}

/** The answer to a query, without the withheld cards. */
export async function askIn(
  place: Place,
  query: string,
  embedder: CachedEmbedder,
  mode: 'lexical' | 'hybrid',
  withheld: readonly number[] = [],
): Promise<Asked> {
  const { index } = place;
  const filter = withheld.length === 0 ? {} : { filter: allBut(index.name, withheld) };
  const own = contextOf(place, embedder);
  const context = mode === 'lexical' ? { ...own, ...NO_MODEL } : own;
  return ask(context, index, { text: query, limit: CUT, ...filter });
}

/** The table of one half of a collection, with the gain of hybrid search over its best baseline. */
export async function rankingTable(
  collection: Collection,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const questions = collection.judged.filter((question) => question.half === half);
  await embedder.embed(questions.map(({ query }) => query));
  const measured = new Map<Mode, Measures[]>();
  for (const mode of MODES) {
    const all: Measures[] = [];
    for (const { query, grades } of questions) {
      const { matches } = await searchIn(collection, query, embedder, mode);
      all.push(
        measure(
          matches.map(({ id }) => id),
          grades,
        ),
      );
    }
    measured.set(mode, all);
  }
  const of = (mode: Mode) => (measured.get(mode) ?? []).map(({ ndcg }) => ndcg);
  const baseline = BASELINES.reduce((best, mode) =>
    mean(of(mode)) > mean(of(best)) ? mode : best,
  );
  const gain = of('hybrid').map((value, index) => value - (of(baseline)[index] ?? 0));
  return [
    row(`${collection.name}, ${half} (${questions.length})`, ['nDCG@10', 'recall@10', 'MRR@10']),
    ...MODES.map((mode) => {
      const all = measured.get(mode) ?? [];
      const columns = [of(mode), all.map(({ recall }) => recall), all.map(({ mrr }) => mrr)];
      return row(
        LABELS[mode],
        columns.map((values) => withInterval(values)),
      );
    }),
    row(`hybrid less ${LABELS[baseline]}`, [withInterval(gain, '+')]),
  ];
}

/** A mean with its 95 % interval. */
function withInterval(values: readonly number[], sign = ''): string {
  const [low, high] = interval(values).map((end) => end.toFixed(3));
  const average = mean(values);
  const signed = sign === '+' && average >= 0 ? `+${average.toFixed(3)}` : average.toFixed(3);
  return `${signed} (${low}..${high})`;
}

export function row(head: string, cells: readonly string[]): string {
  return head.padEnd(42) + cells.map((cell) => cell.padStart(23)).join('');
}
