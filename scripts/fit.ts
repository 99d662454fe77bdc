import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventIndex } from '../src/areas/markets/tables.ts';
import { sourceIdOf } from '../src/areas/papers/arxiv/ids.ts';
import { paperIndex } from '../src/areas/papers/tables.ts';
import { loadEmbedder } from '../src/embedding/embedder.ts';
import { removeFromIndex, type SearchProfile } from '../src/search/profile.ts';
import { type SearchContext, search } from '../src/search/search.ts';
import { type Evidence, probabilityOf } from '../src/search/verdict.ts';
import { Database, loadVectorExtension } from '../src/store/sqlite.ts';
import { MODES, type Mode } from './eval/ask.ts';
import { type Question, readQuestions } from './eval/questions.ts';
import { findModels, openShelf, type Shelves } from './eval/shelves.ts';
import { findModelIn, givenModels } from './model.ts';

const FITTED = 'data/fitted.json';
const ASKED_AT = new Date('2026-11-23T12:00:00Z');
const OTHER = 'papers: another field';
/** What each model sees, at most three inputs. */
const INPUTS = {
  papers: {
    hybrid: ['lead', 'specificity', 'coverage'],
    lexical: ['lead', 'specificity', 'coverage'],
  },
  events: { hybrid: ['lead', 'specificity', 'title'], lexical: ['lead', 'specificity', 'title'] },
  related: {
    hybrid: ['lead', 'cosine', 'specificity'],
    lexical: ['score', 'specificity', 'coverage'],
  },
} as const satisfies Record<string, Record<Mode, readonly (keyof Evidence)[]>>;
/** Of answers called `strong`, asked with and without them in equal number, and of near misses. */
const STRONG = { right: 0.9, nearMisses: 0.08 };
/** Damps the slopes of a fit. */
const DAMPING = 1e-4;
/** Of a fit; inputs that go together need some thousands. */
const ROUNDS = 10_000;
/** Share of the answered questions that may be called `none`. */
const NONE = 0.01;

interface Example {
  area: 'papers' | 'events';
  mode: Mode;
  kind: 'answered' | 'withdrawn' | 'near miss' | 'another field';
  evidence: Evidence;
  /** Each set counts as much as any other. */
  share: number;
}

/** `npm run fit`: fits the verdict on the train halves of `npm run eval` and writes it into data/fitted.json. */
async function main(): Promise<void> {
  const shelves = { models: await findModels(), isFresh: false, withKalshi: false };
  const examples = await collect(shelves);
  const file = JSON.parse(readFileSync(FITTED, 'utf8'));
  const lines: string[] = [];
  for (const area of ['papers', 'events'] as const) {
    for (const mode of MODES) {
      const own = examples.filter((one) => one.area === area && one.mode === mode);
      const of = (...kinds: readonly Example['kind'][]) =>
        own.filter(({ kind }) => kinds.includes(kind));
      // A mismatch has decided before.
      const isOpen = ({ evidence }: Example) => evidence.mismatches === 0;
      const answered = fitLogistic(
        INPUTS[area][mode],
        of('answered').filter(isOpen),
        of('withdrawn', 'near miss').filter(isOpen),
      );
      const others = of('another field');
      const related = fitLogistic(
        INPUTS.related[mode],
        of('answered', 'withdrawn', 'near miss'),
        others,
      );
      const strong = (kind: Example['kind'], least: number) =>
        share(of(kind), (one) => isOpen(one) && probabilityOf(one.evidence, answered) >= least);
      const near = (some: readonly Example[], least: number) =>
        share(some, ({ evidence }) => probabilityOf(evidence, related) >= least);
      const least = STEPS.find((step) => {
        const [yes, no] = [strong('answered', step), strong('withdrawn', step)];
        return yes / (yes + no) >= STRONG.right && strong('near miss', step) <= STRONG.nearMisses;
      });
      const most = STEPS.findLast((step) => near(of('answered'), step) >= 1 - NONE);
      const verdict = {
        related: { ...related, least: most ?? 0.25 },
        answered: { ...answered, least: least ?? 0.9 },
      };
      file[area][mode].verdict = verdict;
      const none = (1 - near(others, verdict.related.least)).toFixed(2);
      const said = strong('answered', verdict.answered.least).toFixed(2);
      lines.push(`${area}, ${mode}: strong ${said}, none of other fields ${none}`);
    }
  }
  // Sets of numbers on a line each.
  const text = JSON.stringify(file, null, 2).replace(
    /([[{])\s+([^[\]{}]*?)\s+(?=[\]}])/g,
    (_, open, inner) => `${open}${inner.replace(/\s+/g, ' ')}`,
  );
  writeFileSync(FITTED, `${text}\n`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

const STEPS = Array.from({ length: 95 }, (_, at) => (at + 1) / 100);

function share(some: readonly Example[], test: (one: Example) => boolean): number {
  return some.filter(test).length / Math.max(1, some.length);
}

/** The evidence of every question of the train halves, with its answers on the shelf and without. */
async function collect(shelves: Shelves): Promise<Example[]> {
  const files = await findModelIn(givenModels());
  if (files === null) throw new Error('no model: QUANTSHELF_MODEL_DIR must name a copy of it');
  const embedder = await loadEmbedder(files, { threads: 1 });
  const questions = readQuestions().filter(
    ({ set, half }) => half === 'train' && /^(?:starter-)?(?:papers|events):/.test(set),
  );
  const examples: Example[] = [];
  for (const shelf of ['papers', 'events', 'starter'] as const) {
    const home = await openShelf(shelves, shelf);
    if (home === null) continue;
    // A copy in memory has no write-ahead log: 1 in these bytes of the header says so.
    const db = new Database(readFileSync(join(home, 'quantshelf.sqlite')).fill(1, 18, 20));
    const fault = loadVectorExtension(db);
    if (fault !== null) throw fault;
    for (const mode of MODES) {
      const context: SearchContext = {
        db,
        now: () => ASKED_AT,
        isWord: async (word) => mode === 'hybrid' && embedder.isWord(word),
        async embedQuery(text) {
          const [vector] = mode === 'hybrid' ? await embedder.embed([text]) : [];
          return vector === undefined ? { unavailable: 'no model' } : { vector };
        },
      };
      for (const question of questions.filter((one) => one.shelf === shelf || one.set === OTHER)) {
        const share = 1 / Math.sqrt(questions.filter(({ set }) => set === question.set).length);
        for (const area of areasOf(question, shelf)) {
          const found = await ask(context, question, area);
          examples.push(...found.map((one) => ({ ...one, area, mode, share })));
        }
      }
    }
    db.close();
  }
  await embedder.close();
  return examples;
}

/** Questions of other fields are asked of papers and of events. */
function areasOf({ tool, set }: Question, shelf: string): Example['area'][] {
  if (set === OTHER) return shelf === 'papers' || shelf === 'events' ? [shelf] : [];
  return [tool === 'paper_search' ? 'papers' : 'events'];
}

async function ask(
  context: SearchContext,
  { set, query, grades }: Question,
  area: Example['area'],
): Promise<Pick<Example, 'kind' | 'evidence'>[]> {
  const { db } = context;
  const profile: SearchProfile = area === 'papers' ? paperIndex : eventIndex;
  const table = area === 'papers' ? 'paper' : 'market_event';
  const find = db.prepare<[string], number>(`SELECT id FROM ${table} WHERE source_id = ?`).pluck();
  const answers = [...grades.keys()].flatMap(
    (key) => find.get(area === 'papers' ? sourceIdOf(key) : key) ?? [],
  );
  const searchOnce = () => search(context, profile, { text: query, limit: 1 });
  const as = (kind: Example['kind'], evidence: Evidence | null) =>
    evidence === null ? [] : [{ kind, evidence }];
  const { matches, evidence } = await searchOnce();
  if (answers.length === 0) return as(set === OTHER ? 'another field' : 'near miss', evidence);
  db.exec('SAVEPOINT withdrawn');
  for (const id of answers) removeFromIndex(db, profile, id);
  const without = await searchOnce();
  db.exec('ROLLBACK TO withdrawn; RELEASE withdrawn');
  // An answer that does not come first is for the ranking, not for the verdict.
  const isFirst = answers.includes(matches[0]?.id ?? -1);
  return [...(isFirst ? as('answered', evidence) : []), ...as('withdrawn', without.evidence)];
}

/** A logistic model; both sides count equally, and slopes are slightly damped. */
function fitLogistic(
  inputs: readonly (keyof Evidence)[],
  yes: readonly Example[],
  no: readonly Example[],
): { bias: number } & Partial<Record<keyof Evidence, number>> {
  const rows = [yes, no].flatMap((side) => {
    const total = side.reduce((sum, { share }) => sum + share, 0);
    return side.map(({ evidence, share }) => ({
      x: [1, ...inputs.map((name) => evidence[name])],
      y: Number(side === yes),
      weight: share / total,
    }));
  });
  const weights = new Array<number>(inputs.length + 1).fill(0);
  // Newton's method on one weight after the other.
  for (let step = 0; step < ROUNDS * weights.length; step += 1) {
    const at = step % weights.length;
    const damping = at === 0 ? 0 : DAMPING;
    let gradient = -damping * (weights[at] ?? 0);
    let curvature = damping;
    for (const { x, y, weight } of rows) {
      const logit = x.reduce((sum, value, each) => sum + value * (weights[each] ?? 0), 0);
      const chance = 1 / (1 + Math.exp(-logit));
      const value = x[at] ?? 0;
      gradient += weight * (y - chance) * value;
      curvature += weight * chance * (1 - chance) * value ** 2;
    }
    weights[at] = (weights[at] ?? 0) + gradient / curvature;
  }
  const [bias = 0, ...slopes] = weights.map((weight) => Number(weight.toFixed(2)));
  return { bias, ...Object.fromEntries(inputs.map((name, at) => [name, slopes[at] ?? 0])) };
}

await main();
