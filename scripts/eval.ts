import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { askAll } from './eval/ask.ts';
import { type Measurement, renderTable } from './eval/measures.ts';
import { type Question, readQuestions } from './eval/questions.ts';
import { findModels, log, openShelf, type Shelves } from './eval/shelves.ts';
import { answerHelp } from './usage.ts';

/** Each half is asked in this many parts, each on a shelf that lacks all answers to its questions. */
const FOLDS = 8;
const PAGE = 'docs/search.md';

// The test halves need an option, so that nobody tunes on them by habit.
const USAGE = `
Usage: npm run eval -- [options] [SET...]

Measures how well the built program answers the judged questions, with and without the model, over REST,
on shelves built by its own sync. SET is the beginning of a set's name, such as papers or "events: asked".

  --test    ask the test halves instead of the train halves
  --write   ask the test halves of all sets, and put the table into ${PAGE}
  --fresh   build all shelves anew
  --kalshi  also store the recorded events of Kalshi
`;

async function main(): Promise<void> {
  answerHelp(USAGE);
  const { values: options, positionals: names } = parseArgs({
    allowPositionals: true,
    options: {
      test: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      kalshi: { type: 'boolean', default: false },
    },
  });
  if (options.write && names.length > 0)
    throw new Error('--write asks all sets: leave out their names');
  const shelves = {
    models: await findModels(),
    isFresh: options.fresh,
    withKalshi: options.kalshi,
  };
  const half = options.test || options.write ? 'test' : 'train';
  const questions = readQuestions().filter(
    (one) =>
      one.half === half && (names.length === 0 || names.some((name) => one.set.startsWith(name))),
  );
  const measurements: Measurement[] = [];
  for (const shelf of new Set(questions.map((one) => one.shelf))) {
    const own = questions.filter((one) => one.shelf === shelf);
    measurements.push(...(await askShelf(shelves, shelf, own)));
  }
  const lines = renderTable(measurements);
  process.stdout.write(`${half} halves\n${lines.join('\n')}\n`);
  if (options.write) {
    const { replacePart } = await import('./readme.ts');
    const table = `\`\`\`text\n${lines.join('\n')}\n\`\`\``;
    writeFileSync(PAGE, replacePart(readFileSync(PAGE, 'utf8'), 'eval', table));
  }
}

/** Asks the questions of one shelf, and those that require it also without their answers. */
async function askShelf(
  shelves: Shelves,
  shelf: Question['shelf'],
  questions: readonly Question[],
): Promise<Measurement[]> {
  const home = await openShelf(shelves, shelf);
  if (home === null) {
    log(`${shelf}: no recordings, left out`);
    return [];
  }
  const measurements = await askAll(home, shelves.models, questions);
  const withdrawing = questions.filter((one) => one.isWithdrawn && one.grades.size > 0);
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const own = withdrawing.filter((_, at) => at % FOLDS === fold);
    const ids = new Set(own.flatMap(({ grades }) => [...grades.keys()]));
    const less = own.length === 0 ? null : await openShelf(shelves, shelf, [...ids].sort());
    if (less === null) continue;
    for (const { question, mode, reply } of await askAll(less, shelves.models, own)) {
      if (reply.ids.some((id) => question.grades.has(id))) {
        throw new Error(`the answer to "${question.query}" was not withdrawn`);
      }
      const measurement = measurements.find(
        (one) => one.question === question && one.mode === mode,
      );
      if (measurement !== undefined) measurement.withdrawn = reply;
    }
  }
  return measurements;
}

await main();
