import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { askAll } from './eval/ask.ts';
import { type Measurement, renderTable } from './eval/measures.ts';
import { type Question, readQuestions } from './eval/questions.ts';
import { findModels, log, openShelf, type Shelves } from './eval/shelves.ts';

/** Number of parts of a half; each is asked on a shelf that lacks the answers to all its questions. */
const FOLDS = 8;
const PAGE = 'docs/search.md';

/**
 * `npm run eval`: measures how well the built program answers judged questions, with and without the model,
 * over REST on shelves built by its own `sync`. One table for the train halves; `--test` reports the test
 * halves, so that nobody tunes on them by habit, and `--write` puts those into docs/search.md. Names of sets
 * ("papers", "events: asked") report only those that begin so; `--fresh` builds all shelves anew, and
 * `--kalshi` stores the recorded events of Kalshi beside those of Polymarket.
 */
async function main(): Promise<void> {
  const { values: options, positionals: names } = parseArgs({
    allowPositionals: true,
    options: {
      test: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      kalshi: { type: 'boolean', default: false },
    },
  });
  if (options.write && names.length > 0) throw new Error('--write needs all sets');
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
