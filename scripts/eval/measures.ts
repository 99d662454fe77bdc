import { mean } from 'd3-array';
import type { Question } from './questions.ts';

export const MODES = ['hybrid', 'lexical'] as const;
export type Mode = (typeof MODES)[number];

/** A shelf's reply to a question in one mode. */
export interface Measurement {
  question: Question;
  mode: Mode;
  reply: Reply;
  /** The reply of a shelf without the answers, if the question is asked there. */
  withdrawn?: Reply;
}

/** The parts of a reply that an agent sees. */
export interface Reply {
  /** Ids in the questions' notation, best first. */
  ids: string[];
  /** For macro indicators only `none`, if the list is empty. */
  verdict?: 'strong' | 'weak' | 'none' | undefined;
}

/** Number of ranks that count. */
export const CUT = 10;

const WIDTH = { name: 41, count: 5, cell: 8 };
const COLUMNS = ['nDCG@10', 'first', 'in 5', 'strong', 'right', 'none'];

/** One row per set: its questions, and six figures with and six without the model. */
export function renderTable(measurements: readonly Measurement[]): string[] {
  const block = COLUMNS.length * WIDTH.cell;
  const head = MODES.map((mode) => ` ${mode} `.padStart(block - 28, '-').padEnd(block - 2, '-'));
  const sets = [...new Set(measurements.map(({ question }) => question.set))];
  // Questions that are also asked in a frame would count twice.
  const twice = measurements.filter(
    ({ question, withdrawn }) => withdrawn !== undefined && !question.set.includes('framed'),
  );
  const first = twice.filter((one) => rankOfBest(one) === 0);
  return [
    `${' '.repeat(WIDTH.name + WIDTH.count)}  ${head.join('  ')}`,
    row('', '', [...COLUMNS, ...COLUMNS]),
    ...sets.map((set) => {
      const own = measurements.filter(({ question }) => question.set === set);
      return row(set, countOf(own), figuresOf(own));
    }),
    // The precision of `strong` over all sets.
    ...(twice.length === 0
      ? []
      : [
          row('all that were asked twice', countOf(twice), verdictsOf(twice)),
          row('of these, answered by the first match', '', verdictsOf(first)),
        ]),
  ].map((line) => line.trimEnd());
}

/** Each question has a measurement in each mode. */
function countOf(measurements: readonly Measurement[]): string {
  return String(measurements.length / MODES.length);
}

/** The cells of a row; a figure without a meaning for the set is blank. */
function figuresOf(measurements: readonly Measurement[]): string[] {
  return MODES.flatMap((mode) => {
    const own = measurements.filter((one) => one.mode === mode);
    const hasAnswers = own.some(({ question }) => question.grades.size > 0);
    const hasStrong = own.some(({ question }) => question.tool !== 'macro_indicator_search');
    const share = (test: (one: Measurement) => boolean) =>
      mean(own, (one) => Number(test(one))) ?? 0;
    const isInFirst = (most: number) => (one: Measurement) =>
      rankOfBest(one) >= 0 && rankOfBest(one) < most;
    const strong = own.filter(({ reply }) => reply.verdict === 'strong').length;
    const wrong = own.filter(({ withdrawn }) => withdrawn?.verdict === 'strong').length;
    const isAskedTwice = own.some(({ withdrawn }) => withdrawn !== undefined);
    return [
      hasAnswers && (mean(own, ndcgOf) ?? 0),
      hasAnswers && share(isInFirst(1)),
      hasAnswers && share(isInFirst(5)),
      hasStrong && strong / own.length,
      isAskedTwice && strong + wrong > 0 && strong / (strong + wrong),
      share(({ reply }) => reply.verdict === 'none'),
    ].map((figure) => (figure === false ? '' : figure.toFixed(3)));
  });
}

/** The cells of `strong` and `right` alone. */
function verdictsOf(measurements: readonly Measurement[]): string[] {
  return figuresOf(measurements).map((cell, at) =>
    /strong|right/.test(COLUMNS[at % COLUMNS.length] ?? '') ? cell : '',
  );
}

/** nDCG@10 with gains of 2^grade - 1. */
function ndcgOf({ question: { grades }, reply }: Measurement): number {
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
  const sum = (list: readonly number[]) =>
    list.slice(0, CUT).reduce((total, grade, place) => total + gain(grade, place), 0);
  const ideal = [...grades.values()].sort((a, b) => b - a);
  return sum(reply.ids.map((id) => grades.get(id) ?? 0)) / sum(ideal);
}

/** Rank of the first of the best answers, from 0; -1 if there is none. */
function rankOfBest({ question: { grades }, reply }: Measurement): number {
  const best = Math.max(...grades.values());
  return reply.ids.findIndex((id) => grades.get(id) === best);
}

function row(name: string, count: string, cells: readonly string[]): string {
  const columns = cells.map((cell) => cell.padStart(WIDTH.cell)).join('');
  return name.padEnd(WIDTH.name) + count.padStart(WIDTH.count) + columns;
}
