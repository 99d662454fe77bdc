import { CUT, type Mode, type Reply } from './ask.ts';
import type { Question, QuestionSet } from './questions.ts';

export interface Answered {
  set: QuestionSet;
  question: Question;
  mode: Mode;
  reply: Reply;
  /** The reply of a shelf without the answers, where the set asks for one. */
  withdrawn?: Reply | undefined;
}

const WIDTH = { name: 41, count: 5, cell: 8 };
const COLUMNS = ['nDCG@10', 'first', 'in 5', 'strong', 'right', 'none'];

/** A row for each set: its questions, and six figures with the model and six without. */
export function renderTable(answers: readonly Answered[]): string[] {
  const sets = [...new Set(answers.map(({ set }) => set))];
  const modes: readonly Mode[] = ['hybrid', 'lexical'];
  const block = COLUMNS.length * WIDTH.cell;
  const head = ['hybrid', 'lexical'].map((mode) =>
    ` ${mode} `.padStart(block - 28, '-').padEnd(block - 2, '-'),
  );
  return [
    `${' '.repeat(WIDTH.name + WIDTH.count)}  ${head.join('  ')}`,
    row('', '', [...COLUMNS, ...COLUMNS]),
    ...sets.map((set) => {
      const cells = modes.flatMap((mode) =>
        figuresOf(answers.filter((one) => one.set === set && one.mode === mode)),
      );
      const count = answers.filter((one) => one.set === set && one.mode === 'hybrid').length;
      return row(set.name, String(count), cells);
    }),
    ...pooledRows(answers),
  ].map((line) => line.trimEnd());
}

/** The verdicts of all questions that were asked with and without their answers, and of those answered first. */
function pooledRows(answers: readonly Answered[]): string[] {
  const twice = answers.filter(({ withdrawn }) => withdrawn !== undefined);
  const verdictsOf = (some: readonly Answered[]) =>
    (['hybrid', 'lexical'] as const).flatMap((mode) => {
      const [, , , strong = '', right = ''] = figuresOf(some.filter((one) => one.mode === mode));
      return ['', '', '', strong, right, ''];
    });
  const first = twice.filter((one) => rankOfBest(one) === 0);
  return twice.length === 0
    ? []
    : [
        row('all that were asked twice', String(twice.length / 2), verdictsOf(twice)),
        row('of these, answered by the first match', '', verdictsOf(first)),
      ];
}

/** The figures of one set in one mode; blank where they say nothing. */
function figuresOf(answers: readonly Answered[]): string[] {
  const hasAnswers = answers.some(({ question }) => question.grades.size > 0);
  const hasVerdict = answers.some(({ reply }) => reply.verdict !== undefined);
  const share = (does: (one: Answered) => boolean) => mean(answers.map((one) => Number(does(one))));
  const ranks = answers.map(rankOfBest);
  const strong = answers.filter(({ reply }) => reply.verdict === 'strong').length;
  const wrong = answers.filter(({ withdrawn }) => withdrawn?.verdict === 'strong').length;
  const isAsked = answers.some(({ withdrawn }) => withdrawn !== undefined);
  const isMacro = answers.some(({ set }) => set.tool === 'macro_indicator_search');
  return [
    hasAnswers ? mean(answers.map(ndcgOf)).toFixed(3) : '',
    hasAnswers ? mean(ranks.map((rank) => Number(rank === 0))).toFixed(3) : '',
    hasAnswers ? mean(ranks.map((rank) => Number(rank >= 0 && rank < 5))).toFixed(3) : '',
    hasVerdict && !isMacro ? share(({ reply }) => reply.verdict === 'strong').toFixed(3) : '',
    isAsked && strong + wrong > 0 ? (strong / (strong + wrong)).toFixed(3) : '',
    share(({ reply }) => reply.verdict === 'none').toFixed(3),
  ];
}

/** nDCG@10 with gains of 2^grade - 1. */
function ndcgOf({ question: { grades }, reply }: Answered): number {
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
  const sum = (list: readonly number[]) =>
    list.slice(0, CUT).reduce((total, grade, place) => total + gain(grade, place), 0);
  const ideal = [...grades.values()].sort((a, b) => b - a);
  return sum(reply.ids.map((id) => grades.get(id) ?? 0)) / sum(ideal);
}

/** Where the first of the best answers stands, from 0; -1 if none does. */
function rankOfBest({ question: { grades }, reply }: Answered): number {
  const best = Math.max(...grades.values());
  return reply.ids.findIndex((id) => grades.get(id) === best);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function row(name: string, count: string, cells: readonly string[]): string {
  const columns = cells.map((cell) => cell.padStart(WIDTH.cell)).join('');
  return name.padEnd(WIDTH.name) + count.padStart(WIDTH.count) + columns;
}
