import * as z from 'zod';
import { findPapers } from '../../src/areas/papers/query/find.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import type { Verdict } from '../../src/core/envelope.ts';
import { removeFromIndex } from '../../src/store/search/index.ts';
import { type Asked, type Collection, inHalves, type Judged, readEval } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { askIn, contextOf, row } from './report.ts';
import { WAYS, type Way, askIn as wordIn } from './ways.ts';

/** Accuracy of the verdict on queries with an answer and without one, asked in several ways. */

type Half = Judged['half'];
export type VerdictMode = 'hybrid' | 'lexical';
type Counts = Record<Verdict, number>;

/** How often a verdict was right in one kind of queries. */
export interface Claim {
  kind: string;
  right: number;
  of: number;
}

/** How often `strong` was right, and how often another field got its `none`. */
export interface Claims {
  strong: Claim[];
  none: Claim[];
}

const OTHER_FIELDS = ['', '-2', '-3', '-4'].map((part) => `off-topic${part}.json`);
/** All of the train half. */
const MORE_OTHER_FIELDS = 'off-topic-5.json';
const texts = z.array(z.string());
/** Year of the recordings, for queries that no card answers. */
const RECORDED = '2026';
/** Capitals and years change nothing here that they do not change for answered queries. */
const UNANSWERED_WAYS: ReadonlySet<Way> = new Set(['plain', 'in a frame']);
const LEXICAL = 'lexical only';
/** Fewer claims of a kind say little about it. */
const ENOUGH = 10;

/** Judged queries with every relevant card removed: on topic but unanswered. */
function withhold(judged: readonly Judged[]): Asked[] {
  return judged.map(({ query, half, grades }) => ({ query, half, withheld: [...grades.keys()] }));
}

/** A query as it is asked in one of the ways, and the cards that are removed for it. */
export interface Wrapped {
  query: string;
  withheld: readonly number[];
}

export const KINDS = [
  'answered',
  'withheld',
  'not held',
  'says nothing',
  'another field',
  'of the field',
] as const;
export type Kind = (typeof KINDS)[number];

/** All queries of a half that the verdict is measured on, by kind, asked in one of the ways. */
export function queriesOf(
  { db, index, judged, notHeld, ofField = [], isSecond = false }: Collection,
  half: Half,
  way: Way,
): Record<Kind, Wrapped[]> {
  const published = db
    .prepare<[number], string>('SELECT substr(published, 1, 4) FROM paper WHERE id = ?')
    .pluck();
  const yearOf = (ids: readonly number[] = []) =>
    (index === paperIndex && ids[0] !== undefined ? published.get(ids[0]) : null) ?? RECORDED;
  const wrap = (queries: readonly (Asked & Partial<Judged>)[]) =>
    queries
      .filter((one) => one.half === half)
      .map(({ query, withheld, grades }, at) => {
        const year = yearOf(withheld ?? [...(grades?.keys() ?? [])]);
        return { query: wordIn(way, query, { at, half, year }), withheld: withheld ?? [] };
      });
  const readOthers = (files: readonly string[], more: readonly string[] = []) => {
    const halved = inHalves(files.flatMap((file) => readEval(file, texts)));
    const further = more.flatMap((file) => readEval(file, texts));
    const train = further.map((query) => ({ query, half: 'train' as const }));
    return wrap(isSecond ? [] : [...halved, ...train]);
  };
  return {
    answered: wrap(judged),
    withheld: wrap(withhold(judged)),
    'not held': wrap(notHeld),
    'says nothing': readOthers(['vague.json']),
    'another field': readOthers(OTHER_FIELDS, [MORE_OTHER_FIELDS]),
    'of the field': wrap(ofField),
  };
}

/** The verdicts on one half of a collection; adds to `claims` what they claim. */
export async function verdictTable(
  collection: Collection,
  half: Half,
  embedder: CachedEmbedder,
  claims: Claims,
): Promise<string[]> {
  const answered: string[] = [];
  const unanswered: string[] = [];
  const isDated = collection.index === paperIndex;
  const ways = WAYS.filter((way) => isDated || way !== 'with its year');
  const cases: { way: Way; mode: VerdictMode; name: string }[] = [
    ...ways.map((way) => ({ way, mode: 'hybrid' as const, name: way })),
    { way: 'plain', mode: 'lexical', name: `plain, ${LEXICAL}` },
  ];
  for (const { way, mode, name } of cases) {
    const { answered: held, withheld, ...others } = queriesOf(collection, half, way);
    const count = (queries: readonly Wrapped[]) =>
      way === 'with its year'
        ? countPaperVerdicts(collection, queries, embedder)
        : countVerdicts(collection, queries, embedder, mode);
    const [right, wrong] = [await count(held), await count(withheld)];
    const strong = { right: right.strong, of: right.strong + wrong.strong };
    answered.push(row(`  ${name} (${held.length})`, [tell(right), tell(wrong), share(strong)]));
    claims.strong.push({ kind: `${collection.name}, ${name}`, ...strong });
    if (!UNANSWERED_WAYS.has(way)) continue;
    for (const [kind, queries] of Object.entries(others)) {
      if (queries.length === 0 || (kind !== 'another field' && name !== 'plain')) continue;
      const counts = await countVerdicts(collection, queries, embedder, mode);
      const none = { right: counts.none, of: queries.length };
      unanswered.push(
        row(`  ${kind}, ${name} (${queries.length})`, [tell(counts), '', share(none)]),
      );
      if (kind === 'another field')
        claims.none.push({ kind: `${collection.name}, ${name}`, ...none });
    }
  }
  return [
    row(`verdict, ${collection.name}, ${half}`, ['answered', 'answers withheld', '"strong" right']),
    ...answered,
    row('', ['strong, weak, none', '', '"none"']),
    ...unanswered,
  ];
}

async function countVerdicts(
  collection: Collection,
  queries: readonly Wrapped[],
  embedder: CachedEmbedder,
  mode: VerdictMode,
): Promise<Counts> {
  const counts: Counts = { strong: 0, weak: 0, none: 0 };
  for (const { query, withheld } of queries) {
    const { verdict } = await askIn(collection, query, embedder, mode, withheld);
    counts[verdict] += 1;
  }
  return counts;
}

/** The verdicts of `paper_search`, which reads dates from a question before it is ranked. */
async function countPaperVerdicts(
  { db, index }: Collection,
  queries: readonly Wrapped[],
  embedder: CachedEmbedder,
): Promise<Counts> {
  const counts: Counts = { strong: 0, weak: 0, none: 0 };
  for (const { query, withheld } of queries) {
    db.exec('SAVEPOINT withheld');
    for (const id of withheld) removeFromIndex(db, index, id);
    const { verdict } = await findPapers(contextOf({ db }, embedder), query, 1);
    db.exec('ROLLBACK TO withheld; RELEASE withheld');
    counts[verdict] += 1;
  }
  return counts;
}

/** What the worst kind shows, of those with enough claims, with the model and without. */
export function claimsTable(claims: Claims, half: Half): string[] {
  const worst = (verdict: string, all: readonly Claim[], name: string) => {
    const enough = all.filter(({ of }) => of >= ENOUGH);
    const [first] = enough.toSorted((a, b) => a.right / a.of - b.right / b.of);
    return first === undefined
      ? row(`"${verdict}", ${name}`, ['too few'])
      : `${row(`"${verdict}", ${name}`, [share(first)])}   ${first.kind}`;
  };
  return [
    row(`verdict, the worst of all kinds, ${half}`, ['right', 'kind']),
    ...Object.entries(claims).flatMap(([verdict, all]: [string, readonly Claim[]]) => [
      worst(
        verdict,
        all.filter(({ kind }) => !kind.endsWith(LEXICAL)),
        'hybrid',
      ),
      worst(
        verdict,
        all.filter(({ kind }) => kind.endsWith(LEXICAL)),
        'lexical',
      ),
    ]),
  ];
}

function tell({ strong, weak, none }: Counts): string {
  return `${strong}, ${weak}, ${none}`;
}

function share({ right, of }: Pick<Claim, 'right' | 'of'>): string {
  return of === 0 ? 'none of 0' : `${(right / of).toFixed(3)} (${right} of ${of})`;
}
