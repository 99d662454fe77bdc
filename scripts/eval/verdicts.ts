import * as z from 'zod';
import type { Verdict } from '../../src/core/envelope.ts';
import {
  type Evidence,
  type Feature,
  judge,
  probabilityOf,
  VERDICT,
} from '../../src/store/search/verdict.ts';
import { type Asked, type Collection, inHalves, type Judged, readEval } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { row, searchIn } from './report.ts';

/** Accuracy of the verdict on queries with an answer, without one, and off topic. */

type Half = Judged['half'];
const VERDICT_MODES = ['hybrid', 'lexical'] as const;
type VerdictMode = (typeof VERDICT_MODES)[number];

const texts = z.array(z.string());

/** Queries that no finance shelf answers, in alternating halves. */
function readOffTopic(): Asked[] {
  const files = ['off-topic.json', 'off-topic-2.json', 'off-topic-3.json', 'off-topic-4.json'];
  return inHalves(files.flatMap((file) => readEval(file, texts)));
}

/** Queries too vague to have an answer. */
function readVague(): Asked[] {
  return inHalves(readEval('vague.json', texts));
}

/** Judged queries with every relevant card removed: on topic but unanswered. */
function withhold(judged: readonly Judged[]): Asked[] {
  return judged.map(({ query, half, grades }) => ({ query, half, withheld: [...grades.keys()] }));
}

/** All queries that the verdict is measured on, by kind. */
function kindsOf({ judged, notHeld }: Collection) {
  return {
    answered: judged,
    'answers withheld': withhold(judged),
    'not held': notHeld,
    'says nothing': readVague(),
    'off-topic': readOffTopic(),
  } satisfies Record<string, readonly Asked[]>;
}

export async function verdictTable(
  collection: Collection,
  half: Half,
  embedder: CachedEmbedder,
): Promise<string[]> {
  const rows: string[] = [];
  const accuracy: string[] = [];
  for (const mode of VERDICT_MODES) {
    const counted = new Map<string, Counts>();
    for (const [kind, questions] of Object.entries<readonly Asked[]>(kindsOf(collection))) {
      const own = questions.filter((question) => question.half === half);
      if (own.length === 0) continue;
      await embedder.embed(own.map(({ query }) => query));
      const counts: Counts = { strong: 0, weak: 0, none: 0 };
      for (const { query, withheld } of own) {
        const { evidence } = await searchIn(collection, query, embedder, mode, withheld);
        counts[judge(evidence)] += 1;
      }
      counted.set(kind, counts);
      rows.push(row(`${kind} (${own.length}), ${mode}`, Object.values(counts).map(String)));
    }
    accuracy.push(...precisionAndRecall(counted, mode));
  }
  return [
    row(`verdict, ${collection.name}, ${half}`, ['strong', 'weak', 'none']),
    ...rows,
    row('', ['precision', 'recall']),
    ...accuracy,
  ];
}

type Counts = Record<Verdict, number>;

/** Precision and recall of "strong" for answered queries and of "none" for off-topic ones. */
function precisionAndRecall(
  counted: ReadonlyMap<string, Counts>,
  mode: VerdictMode,
): readonly string[] {
  const claims = [
    ['strong', 'answered'],
    ['none', 'off-topic'],
  ] as const;
  return claims.map(([verdict, kind]) => {
    const hits = counted.get(kind)?.[verdict] ?? 0;
    const claimed = [...counted.values()].reduce((sum, counts) => sum + counts[verdict], 0);
    const actual = Object.values(counted.get(kind) ?? {}).reduce((sum, count) => sum + count, 0);
    const shares = [hits / Math.max(1, claimed), hits / Math.max(1, actual)];
    return row(
      `"${verdict}" for ${kind}, ${mode}`,
      shares.map((share) => share.toFixed(3)),
    );
  });
}

/** A training example: the evidence of a ranking, whether the shelf answers the query, and a weight. */
interface Example extends Evidence {
  answered: boolean;
  share: number;
}

/** The evidence of a ranking without matches. */
const NO_EVIDENCE: Evidence = {
  maxPassageCosine: null,
  bm25: 0,
  zScore: 0,
  scoreMargin: 0,
  idfCoverage: 0,
  specificity: 0,
  entityCoverage: 0,
};

/** Features of each model. */
const FEATURES: Readonly<Record<VerdictMode, readonly Feature[]>> = {
  hybrid: ['maxPassageCosine', 'bm25', 'zScore', 'scoreMargin', 'idfCoverage', 'specificity'],
  lexical: ['bm25', 'scoreMargin', 'idfCoverage', 'specificity'],
};
/** Features that help to recognise an answer but not whether a query is on topic. */
const ANSWER_ONLY: ReadonlySet<Feature> = new Set(['scoreMargin']);

/** The weights of the models, fitted on the train halves, and the lower bound for `surelyOnTopic`. */
export async function calibrate(
  collections: readonly Collection[],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const lines: string[] = [];
  for (const mode of VERDICT_MODES) {
    const examples = new Map<string, Example[]>();
    for (const collection of collections) {
      for (const [kind, questions] of Object.entries(kindsOf(collection))) {
        const answered = kind === 'answered';
        const found = await examplesOf(collection, questions, answered, mode, embedder);
        examples.set(kind, [...(examples.get(kind) ?? []), ...found]);
      }
    }
    const of = (...kinds: string[]) => kinds.flatMap((kind) => examples.get(kind) ?? []);
    const offTopic = of('off-topic');
    const topical = [...of('answered'), ...offTopic];
    const onTopic = of('answered', 'answers withheld', 'not held', 'says nothing');
    for (const [model, own] of [['onTopic', topical] as const, ['answered', onTopic] as const]) {
      const names = FEATURES[mode].filter((name) => model === 'answered' || !ANSWER_ONLY.has(name));
      const weights = fitLogistic(own, (example) => names.map((name) => example[name] ?? 0));
      const named = ['bias', ...names].map((name, at) => `${name} ${weights[at]?.toFixed(2)}`);
      lines.push(`${mode}, ${model}: ${named.join(', ')} (${own.length} examples)`);
    }
    const { thresholds } = VERDICT[mode];
    const tempting = offTopic.filter(
      (one) => probabilityOf('answered', one) >= thresholds.answered,
    );
    const highest = Math.max(0, ...tempting.map((one) => probabilityOf('onTopic', one)));
    lines.push(
      `  with the current weights, off-topic queries that look answered reach ${highest.toFixed(3)}`,
    );
  }
  return lines;
}

async function examplesOf(
  collection: Collection,
  questions: readonly Asked[],
  answered: boolean,
  mode: VerdictMode,
  embedder: CachedEmbedder,
): Promise<Example[]> {
  const own = questions.filter(({ half }) => half === 'train');
  await embedder.embed(own.map(({ query }) => query));
  const examples: Example[] = [];
  for (const { query, withheld } of own) {
    const { evidence } = await searchIn(collection, query, embedder, mode, withheld);
    // A compromise between equal weight per query and equal weight per set.
    examples.push({ ...(evidence ?? NO_EVIDENCE), answered, share: 1 / Math.sqrt(own.length) });
  }
  return examples;
}

const STEPS = 20_000;
const RATE = 0.3;
/** L2 regularisation. */
const RIDGE = 0.0004;

/** Weights of a logistic model by gradient descent; both classes have the same total weight. */
function fitLogistic(
  examples: readonly Example[],
  featuresOf: (example: Example) => number[],
): number[] {
  const totalOf = (answered: boolean) =>
    examples.reduce((sum, one) => sum + (one.answered === answered ? one.share : 0), 0);
  const totals = { true: totalOf(true), false: totalOf(false) };
  const rows = examples.map((example) => ({
    x: [1, ...featuresOf(example)],
    y: Number(example.answered),
    share: (0.5 * example.share) / totals[`${example.answered}`],
  }));
  const weights = new Array<number>(rows[0]?.x.length ?? 0).fill(0);
  // Scales the features to a common range.
  const scales = weights.map((_, at) =>
    Math.max(...rows.map(({ x }) => Math.abs(x[at] ?? 0)), 1e-9),
  );
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : RIDGE * weight));
    for (const { x, y, share } of rows) {
      const sum = x.reduce(
        (total, value, at) => total + (value / (scales[at] ?? 1)) * (weights[at] ?? 0),
        0,
      );
      const error = (1 / (1 + Math.exp(-sum)) - y) * share;
      for (const [at, value] of x.entries()) {
        gradient[at] = (gradient[at] ?? 0) + (error * value) / (scales[at] ?? 1);
      }
    }
    for (const [at, slope] of gradient.entries()) weights[at] = (weights[at] ?? 0) - RATE * slope;
  }
  return weights.map((weight, at) => weight / (scales[at] ?? 1));
}
