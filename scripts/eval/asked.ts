import { sourceIdOf } from '../../src/areas/papers/cards/ids.ts';
import { findPapers } from '../../src/areas/papers/query/find.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { ask } from '../../src/store/search/ask.ts';
import { type Collection, type Judged, judgedFile, readEval } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { type Grades, mean, measure, seeded } from './measures.ts';
import { contextOf, row, searchIn } from './report.ts';
import { restrictedCases } from './restricted.ts';
import { inFrame } from './ways.ts';
import { EXCLUSIONS } from './wrappings.ts';

/** The judged questions, asked as agents ask: by id, in frames, with exclusions, with typos. */

const CUT = 10;
const FIRST = 5;
const TYPOS = [1, 2, 4];
const SEED = 20_261_122;

interface Case {
  query: string;
  grades: Grades;
}

/** A table of how each way of asking changes the answers to the same questions. */
export async function askedTable(
  collection: Collection,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const questions = collection.judged.filter((question) => question.half === half);
  const kinds: Record<string, readonly Case[]> = {
    plain: questions,
    'in a frame': questions.map(({ query, grades }, at) => ({
      query: inFrame(query, at, half),
      grades,
    })),
    ...(collection.index === paperIndex
      ? { 'with an exclusion': await excluding(collection, half, questions, embedder) }
      : {}),
    ...Object.fromEntries(
      TYPOS.map((count) => [
        `${count} typo${count === 1 ? '' : 's'}`,
        questions.map(({ query, grades }, at) => ({
          query: misspell(query, count, seeded(SEED + at)),
          grades,
        })),
      ]),
    ),
    ...(collection.index === paperIndex
      ? {
          ...namedCases(collection, questions),
          ...restrictedCases(collection, half, questions),
        }
      : {}),
    'in another language': otherLanguages(collection, half),
    'near one that is not held': (collection.near ?? []).filter((one) => one.half === half),
  };
  const rows: string[] = [];
  for (const [kind, cases] of Object.entries(kinds)) {
    if (cases.length > 0) rows.push(await measureKind(collection, kind, cases, embedder));
  }
  return [
    row(`as agents ask, ${collection.name}, ${half}`, [
      'nDCG@10',
      'first',
      `in the first ${FIRST}`,
      'strong',
    ]),
    ...rows,
  ];
}

async function measureKind(
  collection: Collection,
  kind: string,
  cases: readonly Case[],
  embedder: CachedEmbedder,
): Promise<string> {
  const { index } = collection;
  const context = contextOf(collection, embedder);
  const ndcg: number[] = [];
  const first: number[] = [];
  const among: number[] = [];
  let strong = 0;
  for (const { query, grades } of cases) {
    const { ids, verdict } =
      index === paperIndex
        ? await findPapers(context, query, CUT).then(({ papers, verdict }) => ({
            ids: papers.map(({ paper }) => paper.id),
            verdict,
          }))
        : await ask(context, index, { text: query, limit: CUT }).then(({ matches, verdict }) => ({
            ids: matches.map(({ id }) => id),
            verdict,
          }));
    const best = Math.max(...grades.values());
    ndcg.push(measure(ids, grades).ndcg);
    const place = ids.findIndex((id) => grades.get(id) === best);
    first.push(Number(place === 0));
    among.push(Number(place >= 0 && place < FIRST));
    strong += verdict === 'strong' ? 1 : 0;
  }
  const cells = [
    ...[ndcg, first, among].map((values) => mean(values).toFixed(3)),
    `${strong} of ${cases.length}`,
  ];
  return row(`  ${kind} (${cases.length})`, cells);
}

/** Ids in all forms and exact titles of the cards that answer; each has one answer. */
function namedCases(
  { db }: Collection,
  questions: readonly Judged[],
): Record<string, readonly Case[]> {
  const find = db.prepare<[number], { source: string; title: string }>(
    'SELECT source_id AS source, title FROM paper WHERE id = ?',
  );
  const ids = [...new Set(questions.flatMap(({ grades }) => [...grades.keys()].slice(0, 1)))];
  const papers = ids.flatMap((id) => {
    const paper = find.get(id);
    return paper === undefined ? [] : [{ ...paper, grades: new Map([[id, 1]]) }];
  });
  const forms = [
    (id: string) => id,
    (id: string) => `arXiv:${id}`,
    (id: string) => `${id}v2`,
    (id: string) => `https://arxiv.org/abs/${id}`,
    (id: string) => `https://arxiv.org/pdf/${id}v1.pdf`,
    (id: string) => `what is the main result of ${id}?`,
  ];
  return {
    'by arXiv id': papers.map(({ source, grades }, at) => {
      const form = forms[at % forms.length] ?? String;
      return { query: form(source.replace(/^arxiv:/, '')), grades };
    }),
    'by exact title': papers.map(({ title, grades }, at) => ({
      query: at % 2 === 0 ? title : title.toLowerCase(),
      grades,
    })),
  };
}

/** Questions in other languages whose cards the collection holds. */
function otherLanguages({ db, index }: Collection, half: Judged['half']): Case[] {
  const isPapers = index === paperIndex;
  const files = isPapers ? ['', '-2', '-3'] : ['-events'];
  const idOf = db
    .prepare<[string], number>(
      isPapers
        ? 'SELECT id FROM paper WHERE source_id = ?'
        : 'SELECT id FROM market_event WHERE id = CAST(? AS INTEGER)',
    )
    .pluck();
  const asked = files.flatMap((part) => readEval(`other-languages${part}.json`, judgedFile));
  return asked.flatMap(({ query, relevant, half: own }) => {
    const ids = Object.keys(relevant).flatMap(
      (key) => idOf.get(isPapers ? sourceIdOf(key) : key) ?? [],
    );
    return own !== half || ids.length === 0
      ? []
      : [{ query, grades: new Map(ids.map((id) => [id, 1])) }];
  });
}

/** Questions that exclude a topic of the first card that does not answer, and of none that does. */
async function excluding(
  collection: Collection,
  half: Judged['half'],
  questions: readonly Judged[],
  embedder: CachedEmbedder,
): Promise<Case[]> {
  const tags = collection.db
    .prepare<[number], string>('SELECT tags FROM paper WHERE id = ?')
    .pluck();
  const tagsOf = (id: number): string[] => JSON.parse(tags.get(id) ?? '[]');
  const cases: Case[] = [];
  for (const { query, grades } of questions) {
    const { matches } = await searchIn(collection, query, embedder, 'hybrid');
    const wanted = new Set([...grades.keys()].flatMap(tagsOf));
    const [topic] = matches
      .filter(({ id }) => !grades.has(id))
      .flatMap(({ id }) => tagsOf(id))
      .filter((tag) => !wanted.has(tag));
    if (topic === undefined) continue;
    const wrappings = EXCLUSIONS[half];
    const wrapping = wrappings[cases.length % wrappings.length] ?? ', not about %';
    cases.push({ query: `${query.replace(/[?.]$/, '')}${wrapping.replace('%', topic)}`, grades });
  }
  return cases;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const SHORTEST = 5;

/** The question with typing errors in as many words of five letters or more, one in each. */
function misspell(query: string, count: number, random: () => number): string {
  const words = query.split(' ');
  const long = words
    .map((word, at) => ({ word, at, order: random() }))
    .filter(({ word }) => word.length >= SHORTEST && /^\p{L}+$/u.test(word))
    .sort((a, b) => a.order - b.order);
  for (const { word, at } of long.slice(0, count)) words[at] = mistype(word, random);
  return words.join(' ');
}

/** A word with a letter left out, doubled, wrong, or two exchanged, after its first letter. */
function mistype(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const letter = LETTERS[Math.floor(random() * LETTERS.length)] ?? 'e';
  const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  switch (Math.floor(random() * 4)) {
    case 0:
      return before + after;
    case 1:
      return before + letter + here + after;
    case 2:
      return before + letter + after;
    default:
      return before + after.charAt(0) + here + after.slice(1);
  }
}
