import { readFileSync, writeFileSync } from 'node:fs';
import type { FieldDirection } from '../../src/store/search/index.ts';
import { DIMENSIONS } from '../../src/store/search/vectors/float32.ts';
import {
  type Evidence,
  type Feature,
  probabilityOf,
  VERDICT,
} from '../../src/store/search/verdict.ts';
import type { Collection } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { askIn } from './report.ts';
import { KINDS, type Kind, queriesOf, type VerdictMode, type Wrapped } from './verdicts.ts';
import type { Way } from './ways.ts';

/** Fits the models of the verdict on the train halves. */

/** The other ways change the evidence little or not at all. */
const FITTED_WAYS: readonly Way[] = ['plain', 'in a frame'];

/** The evidence of a ranking, whether the shelf answers its query, and how much it counts. */
interface Example {
  evidence: Evidence;
  kind: Kind;
  share: number;
  /** The embedding of what was ranked. */
  vector: Float32Array;
  /** Ways to ask the same question, on all shelves, are in the same fold. */
  fold: number;
}

const MODELS = {
  onTopic: {
    yes: new Set<Kind>(['answered', 'withheld', 'not held', 'of the field']),
    no: new Set<Kind>(['another field']),
    features: {
      hybrid: ['passageCosine', 'backgroundCosine', 'scoreMargin', 'missingTerm', 'fieldScore'],
      lexical: ['score', 'specificity', 'unheldTerms'],
    },
  },
  answered: {
    yes: new Set<Kind>(['answered']),
    no: new Set<Kind>(['withheld', 'not held', 'says nothing']),
    features: {
      hybrid: ['score', 'scoreMargin', 'backgroundCosine', 'specificity', 'length'],
      lexical: ['score', 'scoreMargin', 'missingTerm', 'specificity', 'length'],
    },
  },
  eventAnswered: {
    yes: new Set<Kind>(['answered']),
    no: new Set<Kind>(['withheld', 'not held', 'says nothing']),
    features: {
      hybrid: ['scoreMargin', 'specificity', 'titleCoverage', 'idfCoverage', 'size'],
      lexical: ['scoreMargin', 'specificity', 'titleCoverage', 'idfCoverage', 'size'],
    },
  },
} as const satisfies Record<string, object>;

/** Quantiles of the probabilities, by which the thresholds are chosen. */
const QUANTILES = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

const FIELD_FILE = 'data/field-direction.json';
const FOLDS = 5;
/** Gives the field score a deviation of about one. */
const SCALE = 10;
const DECIMALS = 3;

/**
 * The weights of the models, fitted on the train halves, and what the current ones give there. Writes
 * the direction of the field, from which the field score comes, to its file.
 */
export async function calibrate(
  collections: readonly Collection[],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const lines: string[] = [];
  for (const mode of ['hybrid', 'lexical'] as const) {
    const examples: Example[] = [];
    for (const collection of collections) {
      for (const way of FITTED_WAYS) {
        const queries = queriesOf(collection, 'train', way);
        for (const kind of KINDS) {
          if (kind === 'says nothing' && way !== 'plain') continue;
          examples.push(...(await examplesOf(collection, kind, queries[kind], mode, embedder)));
        }
      }
    }
    // The models see field scores as they are for questions that the direction was not made from.
    const fitted = mode === 'hybrid' ? fitField(examples) : examples;
    for (const name of ['onTopic', 'answered', 'eventAnswered'] as const) {
      const { yes, no, features } = MODELS[name];
      // Without cosines, papers and events are told from other fields in different ways.
      const isSplit = mode === 'lexical' && name === 'onTopic';
      const own = fitted.filter(
        ({ kind, evidence }) =>
          (yes.has(kind) || no.has(kind)) &&
          !(isSplit && evidence.isProse === 0) &&
          (name !== 'eventAnswered' || isJudgedEvent(evidence)),
      );
      const weights = fitLogistic(own, features[mode], (kind) => yes.has(kind));
      lines.push(
        `${mode}, ${name}: ${JSON.stringify(weights)} (${own.length} examples)`,
        ...(name === 'eventAnswered' ? [] : quantilesOf(examples, name)),
      );
    }
    const { answered } = VERDICT[mode].thresholds;
    const tempting = examples.filter(
      ({ kind, evidence }) =>
        kind === 'another field' && probabilityOf('answered', evidence) >= answered.prose,
    );
    const highest = tempting.map(({ evidence }) => probabilityOf('onTopic', evidence));
    lines.push(`  other fields that look answered: ${highest.map((one) => one.toFixed(2))}`);
  }
  return lines;
}

/** Whether the model of events is asked: a missing detail has decided before it. */
function isJudgedEvent({ isProse, missingDetails }: Evidence): boolean {
  return isProse === 0 && missingDetails === 0;
}

/** Writes the direction of the field; the examples with the scores that it gives out of their folds. */
function fitField(examples: readonly Example[]): Example[] {
  const { yes, no } = MODELS.onTopic;
  const own = examples.filter(({ kind }) => yes.has(kind) || no.has(kind));
  const { direction, midpoint } = directionOf(own);
  const round = (value: number) => Number(value.toFixed(DECIMALS));
  const { about } = JSON.parse(readFileSync(FIELD_FILE, 'utf8'));
  const rounded = { about, midpoint: round(midpoint), direction: direction.map(round) };
  writeFileSync(FIELD_FILE, `${JSON.stringify(rounded, null, 2)}\n`);
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    directionOf(own.filter((example) => example.fold !== fold)),
  );
  return examples.map((example) => {
    const { direction: other = [], midpoint: middle = 0 } = folds[example.fold] ?? {};
    const fieldScore = product(other, example.vector) - middle;
    return { ...example, evidence: { ...example.evidence, fieldScore } };
  });
}

/** The mean of the questions of the field less that of the others, each text counted once. */
function directionOf(examples: readonly Example[]): FieldDirection {
  const meanOf = (kinds: ReadonlySet<Kind>) => {
    const own = examples.filter(({ kind }) => kinds.has(kind));
    const vectors = [...new Map(own.map(({ vector }) => [vector.join(), vector])).values()];
    return Array.from({ length: DIMENSIONS }, (_, at) =>
      average(vectors.map((vector) => vector[at] ?? 0)),
    );
  };
  const [ours, others] = [meanOf(MODELS.onTopic.yes), meanOf(MODELS.onTopic.no)];
  const direction = ours.map((value, at) => SCALE * (value - (others[at] ?? 0)));
  const middle = ours.map((value, at) => (value + (others[at] ?? 0)) / 2);
  return { direction, midpoint: product(direction, middle) };
}

function product(one: readonly number[], other: ArrayLike<number>): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

function quantilesOf(examples: readonly Example[], model: 'onTopic' | 'answered'): string[] {
  return ['answered', 'withheld', 'another field'].map((wanted) => {
    const chances = examples
      .filter(({ kind }) => kind === wanted)
      .map(({ evidence }) => probabilityOf(model, evidence))
      .sort((a, b) => a - b);
    const told = QUANTILES.map((share) => chances[Math.floor(share * chances.length)]?.toFixed(2));
    return `  current ${model} of ${wanted} at ${QUANTILES.join(' ')}: ${told.join(' ')}`;
  });
}

async function examplesOf(
  collection: Collection,
  kind: Kind,
  queries: readonly Wrapped[],
  mode: VerdictMode,
  embedder: CachedEmbedder,
): Promise<Example[]> {
  const examples: Example[] = [];
  // A compromise between equal weight per query and equal weight per set.
  const share = 1 / Math.sqrt(queries.length);
  for (const [at, { query, withheld }] of queries.entries()) {
    const { evidence, text } = await askIn(collection, query, embedder, mode, withheld);
    const [vector = new Float32Array()] = await embedder.embed([text]);
    // Without a match the verdict is `none`, whatever the models say.
    if (evidence !== null) examples.push({ evidence, kind, share, vector, fold: at % FOLDS });
  }
  return examples;
}

const STEPS = 20;
/** L2 regularisation, on features in standard deviations. */
const RIDGE = 1;

/** Weights of a logistic model by Newton's method; both classes have the same total weight. */
function fitLogistic(
  examples: readonly Example[],
  features: readonly Feature[],
  isYes: (kind: Kind) => boolean,
): Record<string, number> {
  const columns = features.map((name) => examples.map(({ evidence }) => evidence[name] ?? 0));
  const means = columns.map((column) => average(column));
  const deviations = columns.map((column, at) =>
    Math.sqrt(average(column.map((value) => (value - (means[at] ?? 0)) ** 2))),
  );
  const totalOf = (yes: boolean) =>
    examples.reduce((sum, { kind, share }) => sum + (isYes(kind) === yes ? share : 0), 0);
  const totals = { true: totalOf(true), false: totalOf(false) };
  const rows = examples.map(({ kind, share }, row) => ({
    x: [
      1,
      ...columns.map(
        (column, at) => ((column[row] ?? 0) - (means[at] ?? 0)) / (deviations[at] ?? 1),
      ),
    ],
    y: Number(isYes(kind)),
    weight: (0.5 * examples.length * share) / totals[`${isYes(kind)}`],
  }));
  let weights = new Array<number>(features.length + 1).fill(0);
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -RIDGE * weight));
    const hessian: number[][] = weights.map((_, row) =>
      weights.map((__, column) => (row === column && row > 0 ? RIDGE : 0)),
    );
    for (const { x, y, weight } of rows) {
      const chance = 1 / (1 + Math.exp(-x.reduce((sum, v, at) => sum + v * (weights[at] ?? 0), 0)));
      for (const [i, value] of x.entries()) {
        gradient[i] = (gradient[i] ?? 0) + weight * (y - chance) * value;
        const line = hessian[i] ?? [];
        for (const [j, other] of x.entries()) {
          line[j] = (line[j] ?? 0) + weight * chance * (1 - chance) * value * other;
        }
      }
    }
    const change = solve(hessian, gradient);
    weights = weights.map((weight, at) => weight + (change[at] ?? 0));
  }
  const [first = 0, ...scaled] = weights;
  const slopes = scaled.map((weight, at) => weight / (deviations[at] ?? 1));
  const bias = first - slopes.reduce((sum, slope, at) => sum + slope * (means[at] ?? 0), 0);
  const named = features.map((name, at) => [name, Number(slopes[at]?.toFixed(2))] as const);
  return { bias: Number(bias.toFixed(2)), ...Object.fromEntries(named) };
}

/** Solves a system of linear equations with a positive definite matrix, by elimination. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((line, at) => [...line, values[at] ?? 0]);
  for (const [at, pivot] of rows.entries()) {
    for (const row of rows.slice(at + 1)) {
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1);
      for (let column = at; column < row.length; column += 1) {
        row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0);
      }
    }
  }
  const solution = new Array<number>(rows.length).fill(0);
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at] ?? [];
    const known = solution.reduce((sum, value, column) => sum + value * (row[column] ?? 0), 0);
    solution[at] = ((row[rows.length] ?? 0) - known) / (row[at] ?? 1);
  }
  return solution;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
