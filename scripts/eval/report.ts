import { type Hit, searchHybrid, type Within } from '../../src/store/search/search.ts';
import type { Collection, Judged } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { interval, type Measures, mean, measure } from './measures.ts';

/** Words and vectors alone are the baselines of their fusion. */
export type Mode = 'words' | 'vectors' | 'fused';
const MODES: readonly Mode[] = ['words', 'vectors', 'fused'];
/** Deep enough that the order by bare cosine has its ten. */
const DEEP = 100;
const CUT = 10;

/** The shelf without some of its cards. */
function allBut(name: string, withheld: readonly number[]): Within {
  const where = 'c.id NOT IN (SELECT value FROM json_each(@withheld))';
  const params = { withheld: JSON.stringify(withheld) };
  return { from: `${name}_card c`, id: 'c.id', where, params };
}

/** Hits of a query in a mode, among all cards but those withheld; vectors alone rank by the bare cosine of the card. */
export async function searchIn(
  { db, index }: Pick<Collection, 'db' | 'index'>,
  query: string,
  vector: Float32Array,
  mode: Mode,
  withheld: readonly number[] = [],
): Promise<readonly Hit[]> {
  const hits = await searchHybrid(db, index, {
    text: mode === 'vectors' ? '' : query,
    vector: mode === 'words' ? null : vector,
    limit: mode === 'vectors' ? DEEP : CUT,
    ...(withheld.length === 0 ? {} : { within: allBut(index.name, withheld) }),
  });
  if (mode !== 'vectors') return hits;
  return hits.toSorted((a, b) => (b.cosine ?? 0) - (a.cosine ?? 0)).slice(0, CUT);
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
  const single = mean(of('words')) > mean(of('vectors')) ? 'words' : 'vectors';
  const ahead = of('fused').map((value, index) => value - (of(single)[index] ?? 0));
  return [
    row(`${collection.name}, ${half} (${questions.length})`, [
      'nDCG@10',
      '95 %',
      'recall@10',
      'MRR@10',
    ]),
    ...MODES.map((mode) => {
      const all = measured.get(mode) ?? [];
      return row(mode, [
        mean(of(mode)).toFixed(3),
        spread(of(mode)),
        mean(all.map(({ recall }) => recall)).toFixed(3),
        mean(all.map(({ mrr }) => mrr)).toFixed(3),
      ]);
    }),
    row(`fused less ${single}`, [signed(mean(ahead)), spread(ahead)]),
  ];
}

function spread(values: readonly number[]): string {
  return interval(values)
    .map((end) => end.toFixed(3))
    .join(' .. ');
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}

export function row(head: string, cells: readonly string[]): string {
  return head.padEnd(38) + cells.map((cell) => cell.padStart(17)).join('');
}
