import { RANKING } from '../../src/store/search/ranking.ts';
import { type Hit, searchHybrid, type Within } from '../../src/store/search/search.ts';
import type { Collection, Judged } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { interval, type Measures, mean, measure } from './measures.ts';

/** Words, the vectors of cards, and those with the vectors of passages, are baselines of their fusion. */
export type Mode = 'words' | 'cards' | 'vectors' | 'fused';
const MODES: readonly Mode[] = ['words', 'cards', 'vectors', 'fused'];
const SINGLES = ['words', 'cards', 'vectors'] as const;
const CALLED: Readonly<Record<Mode, string>> = {
  words: 'words',
  cards: 'vectors of cards',
  vectors: 'vectors of cards and passages',
  fused: 'fused',
};
/** Deep enough that the order by bare cosine has its ten. */
const DEEP = 100;
const CUT = 10;

/** The shelf without some of its cards. */
function allBut(name: string, withheld: readonly number[]): Within {
  const where = 'c.id NOT IN (SELECT value FROM json_each(@withheld))';
  const params = { withheld: JSON.stringify(withheld) };
  return { from: `${name}_card c`, id: 'c.id', where, params };
}

/** Hits of a query in a mode, among all cards but those withheld. */
export async function searchIn(
  { db, index }: Pick<Collection, 'db' | 'index'>,
  query: string,
  vector: Float32Array,
  mode: Mode,
  withheld: readonly number[] = [],
): Promise<readonly Hit[]> {
  const byVectors = mode === 'cards' || mode === 'vectors';
  const hits = await searchHybrid(db, index, {
    text: byVectors ? '' : query,
    vector: mode === 'words' ? null : vector,
    limit: byVectors ? DEEP : CUT,
    ...(withheld.length === 0 ? {} : { within: allBut(index.name, withheld) }),
  });
  if (!byVectors) return hits;
  const share = mode === 'cards' ? 0 : RANKING.passage / (RANKING.card + RANKING.passage);
  const score = ({ cosine, closeness }: Hit) =>
    (1 - share) * (cosine ?? 0) + share * (closeness ?? 0);
  return hits.toSorted((a, b) => score(b) - score(a)).slice(0, CUT);
}

/** The table of one half of a collection, and how far the fusion is ahead of the better single. */
export async function rankingTable(
  collection: Collection,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const questions = collection.judged.filter((question) => question.half === half);
  const vectors = await embedder.embed(questions.map(({ query }) => query));
  const measured = new Map<Mode, Measures[]>();
  for (const mode of MODES) {
    const all: Measures[] = [];
    for (const [index, { query, grades }] of questions.entries()) {
      const hits = await searchIn(collection, query, vectors[index] ?? new Float32Array(), mode);
      all.push(
        measure(
          hits.map(({ id }) => id),
          grades,
        ),
      );
    }
    measured.set(mode, all);
  }
  const of = (mode: Mode) => (measured.get(mode) ?? []).map(({ ndcg }) => ndcg);
  const single = SINGLES.reduce((best, mode) => (mean(of(mode)) > mean(of(best)) ? mode : best));
  const ahead = of('fused').map((value, index) => value - (of(single)[index] ?? 0));
  return [
    row(`${collection.name}, ${half} (${questions.length})`, ['nDCG@10', 'recall@10', 'MRR@10']),
    ...MODES.map((mode) => {
      const all = measured.get(mode) ?? [];
      const columns = [of(mode), all.map(({ recall }) => recall), all.map(({ mrr }) => mrr)];
      return row(
        CALLED[mode],
        columns.map((values) => withInterval(values)),
      );
    }),
    row(`fused less ${CALLED[single]}`, [withInterval(ahead, '+')]),
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
