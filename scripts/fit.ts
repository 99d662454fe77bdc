import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventIndex } from '../src/areas/markets/tables.ts';
import { sourceIdOf } from '../src/areas/papers/arxiv/ids.ts';
import { paperIndex } from '../src/areas/papers/tables.ts';
import type { Verdict } from '../src/core/envelope.ts';
import { loadEmbedder } from '../src/embedding/embedder.ts';
import { removeFromIndex, type SearchProfile } from '../src/search/profile.ts';
import { type SearchContext, search } from '../src/search/search.ts';
import {
  type Evidence,
  type Input,
  judge,
  SYNCED,
  type VerdictModel,
  type Weights,
} from '../src/search/verdict.ts';
import { Database, loadVectorExtension } from '../src/store/sqlite.ts';
import { quantile } from './bench/figures.ts';
import { MODES, type Mode } from './eval/measures.ts';
import { framesOf, type Question, readQuestions } from './eval/questions.ts';
import { findModels, openShelf, type Shelves } from './eval/shelves.ts';
import { findModelIn, suppliedModels } from './model.ts';

const FITTED = 'data/fitted.json';
const ASKED_AT = new Date('2026-11-23T12:00:00Z');
const OTHER = 'papers: another field';
/** The inputs of each model, at most three. */
const INPUTS = {
  related: {
    hybrid: ['cosine', 'specificity', 'coverage'],
    lexical: ['score', 'specificity', 'coverage'],
  },
  answered: { papers: ['lead', 'matched'], events: ['lead', 'matched', 'title'] },
} as const satisfies {
  related: Record<Mode, readonly Input[]>;
  answered: Record<'papers' | 'events', readonly Input[]>;
};
/** Shelves of 130, 500 and 2,000 papers, and one of events. The shelf of 10,000 papers is held out. */
const SHELVES = ['starter', 'small', 'papers', 'events'] as const;
/** Number of frames that each question is also asked in; frames alternate. */
const FRAMES_EACH = 2;
/** Precision of `strong`, with as many answered as unanswered questions, and with near misses. */
const STRONG = { right: 0.88, nearMisses: 0.08 };
/** Share of answered questions that reach the minimum score for `strong`. */
const REACHED = 0.9;
/**
 * Share of questions from other fields that stay below that score, on the bundled shelf and on synced ones.
 */
const KEPT_BELOW = { hybrid: [0.99, 0.98], lexical: [0.95, 0.95] };
/** Share of questions from other fields that reach the score that is never `none`. */
const STRAYS = { hybrid: 0.005, lexical: 0.01 };
/** Penalty on the slopes of a fit (L2). */
const DAMPING = 1e-4;
/** Newton steps per weight; correlated inputs need some thousands. */
const ROUNDS = 10_000;
/** Share of answered questions that may get `none`, plain or framed. */
const NONE = { hybrid: 0.02, lexical: 0.03 };

interface Example {
  area: 'papers' | 'events';
  mode: Mode;
  kind: 'answered' | 'withdrawn' | 'near miss' | 'another field';
  isFramed: boolean;
  evidence: Evidence;
  /** Whether the answer ranks first: any other rank is the fault of the ranking, not of the verdict. */
  isFirst: boolean;
  /** Weight of the example, so that all sets count equally. */
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
      // Excludes questions with a mismatch, which alone decides their verdict.
      const isOpen = ({ evidence }: Example) => evidence.mismatches === 0;
      const answered = fitLogistic(
        INPUTS.answered[area],
        of('answered').filter((one) => isOpen(one) && one.isFirst),
        of('withdrawn', 'near miss').filter(isOpen),
      );
      const others = of('another field');
      // Without vectors, the words of a frame are the same whatever the question.
      const isUsed = ({ isFramed }: Example) => mode === 'hybrid' || !isFramed;
      const related = fitLogistic(
        INPUTS.related[mode],
        of('answered', 'withdrawn', 'near miss').filter(isUsed),
        others.filter(isUsed),
      );
      /** The quantile of the scores; 0 if the area has no shelf of that size. */
      const scoreOf = (some: readonly Example[], rank: number) => {
        const scores = some.map(({ evidence }) => evidence.score);
        return scores.length === 0 ? 0 : Number(quantile(scores, rank).toFixed(2));
      };
      const usual = scoreOf(of('answered'), 1 - REACHED);
      const floors = {
        related: scoreOf(others, 1 - STRAYS[mode]),
        answered: KEPT_BELOW[mode].map((rank, at) => {
          const ofSize = others.filter(({ evidence }) => Number(evidence.cards >= SYNCED) === at);
          return Math.max(usual, scoreOf(ofSize, rank));
        }),
      };
      const modelOf = (least: { related: number; answered: number }): VerdictModel => ({
        related: { ...related, least: least.related, floor: floors.related },
        answered: { ...answered, least: least.answered, floors: floors.answered },
      });
      /** The share of examples that gets a verdict at these thresholds. */
      const given = (
        verdict: Verdict,
        some: readonly Example[],
        least: { related?: number; answered?: number },
      ) => {
        const model = modelOf({ related: 0, answered: 1, ...least });
        return share(some, ({ evidence }) => judge(evidence, model) === verdict);
      };
      const styles = [false, true].map((isFramed) => (one: Example) => one.isFramed === isFramed);
      const least = STEPS.find(
        (step) =>
          styles.every((style) => {
            const yes = given('strong', of('answered').filter(style), { answered: step });
            const no = given('strong', of('withdrawn').filter(style), { answered: step });
            return yes / (yes + no) >= STRONG.right;
          }) && given('strong', of('near miss'), { answered: step }) <= STRONG.nearMisses,
      );
      const most = STEPS.findLast((step) =>
        styles.every(
          (style) => given('none', of('answered').filter(style), { related: step }) <= NONE[mode],
        ),
      );
      const verdict = modelOf({ related: most ?? 0.25, answered: least ?? 0.9 });
      file[area][mode].verdict = verdict;
      const none = given('none', others, { related: verdict.related.least }).toFixed(2);
      const said = given('strong', of('answered'), { answered: verdict.answered.least }).toFixed(2);
      lines.push(`${area}, ${mode}: strong ${said}, none of other fields ${none}`);
    }
  }
  // Writes each list of numbers on one line.
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

/** The evidence for every question of the train halves, with and without its answers on the shelf. */
async function collect(shelves: Shelves): Promise<Example[]> {
  const files = await findModelIn(suppliedModels());
  if (files === null)
    throw new Error('the model is missing: set QUANTSHELF_MODEL_DIR to a directory that has it');
  const embedder = await loadEmbedder(files, { threads: 1 });
  const embeddings = new Map<string, Float32Array>();
  const questions = readQuestions().filter(
    ({ set, half }) =>
      half === 'train' &&
      /^(?:starter-)?(?:papers|events):/.test(set) &&
      !/framed|short subjects/.test(set),
  );
  const examples: Example[] = [];
  for (const shelf of SHELVES) {
    const home = await openShelf(shelves, shelf);
    if (home === null) continue;
    // A copy in memory cannot have a write-ahead log; the value 1 in these header bytes says that it has
    // none.
    const db = new Database(readFileSync(join(home, 'quantshelf.sqlite')).fill(1, 18, 20));
    const fault = loadVectorExtension(db);
    if (fault !== null) throw fault;
    for (const mode of MODES) {
      const context: Parameters<typeof ask>[0] = {
        db,
        now: () => ASKED_AT,
        isWord: async (word) => mode === 'hybrid' && embedder.isWord(word),
        async embedQuery(text) {
          if (mode === 'lexical') return { unavailable: 'no model' };
          const [vector = new Float32Array()] = embeddings.has(text)
            ? [embeddings.get(text)]
            : await embedder.embed([text]);
          embeddings.set(text, vector);
          return { vector };
        },
      };
      for (const [at, question] of questions.entries()) {
        const share = 1 / Math.sqrt(questions.filter(({ set }) => set === question.set).length);
        const texts = [question.query, ...framesOf(question.query, 'train', at, FRAMES_EACH)];
        for (const area of areasOf(question, shelf)) {
          for (const text of texts) {
            const common = { area, mode, share, isFramed: text !== question.query };
            const answers = await ask(context, { ...question, query: text }, area);
            examples.push(...answers.map((one) => ({ ...one, ...common })));
          }
        }
      }
    }
    db.close();
  }
  await embedder.close();
  return examples;
}

/** The areas in which a question is asked; questions from other fields are asked in all. */
function areasOf(question: Question, shelf: (typeof SHELVES)[number]): Example['area'][] {
  const { tool, set } = question;
  const own = shelf === 'small' ? 'papers' : shelf;
  if (set === OTHER) return shelf === 'events' ? ['events'] : ['papers'];
  if (question.shelf !== own) return [];
  return [tool === 'paper_search' ? 'papers' : 'events'];
}

async function ask(
  context: SearchContext & { db: Database.Database },
  { set, query, grades }: Question,
  area: Example['area'],
): Promise<Pick<Example, 'kind' | 'evidence' | 'isFirst'>[]> {
  const { db } = context;
  const profile: SearchProfile = area === 'papers' ? paperIndex : eventIndex;
  const table = area === 'papers' ? 'paper' : 'market_event';
  const find = db.prepare<[string], number>(`SELECT id FROM ${table} WHERE source_id = ?`).pluck();
  const answers = [...grades.keys()].flatMap(
    (key) => find.get(area === 'papers' ? sourceIdOf(key) : key) ?? [],
  );
  const searchOnce = () => search(context, profile, { text: query, limit: 1 });
  const as = (kind: Example['kind'], evidence: Evidence | null, isFirst = false) =>
    evidence === null ? [] : [{ kind, evidence, isFirst }];
  const { matches, evidence } = await searchOnce();
  // A smaller shelf lacks the answers to some questions.
  if (answers.length === 0 && grades.size > 0) return [];
  if (answers.length === 0) return as(set === OTHER ? 'another field' : 'near miss', evidence);
  db.exec('SAVEPOINT withdrawn');
  for (const id of answers) removeFromIndex(db, profile, id);
  const without = await searchOnce();
  db.exec('ROLLBACK TO withdrawn; RELEASE withdrawn');
  const isFirst = answers.includes(matches[0]?.id ?? -1);
  return [...as('answered', evidence, isFirst), ...as('withdrawn', without.evidence)];
}

/** A logistic model; both sides count equally, and slopes are slightly damped. */
function fitLogistic(
  inputs: readonly Input[],
  yes: readonly Example[],
  no: readonly Example[],
): Weights {
  const rows = [yes, no].flatMap((side) => {
    const total = side.reduce((sum, { share }) => sum + share, 0);
    return side.map(({ evidence, share }) => ({
      x: [1, ...inputs.map((name) => evidence[name])],
      y: Number(side === yes),
      weight: share / total,
    }));
  });
  const weights = new Array<number>(inputs.length + 1).fill(0);
  // Newton's method on one weight at a time.
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
