import { readFileSync, writeFileSync } from 'node:fs';
import { Server } from './eval/ask.ts';
import { type Answered, renderTable } from './eval/measures.ts';
import { type Half, type Question, type QuestionSet, readQuestions } from './eval/questions.ts';
import type { ShelfName } from './eval/records.ts';
import { findModels, openShelf, type Shelves } from './eval/shelves.ts';

/** Parts of a half, each asked on a shelf that lacks the answers to all of its questions. */
const FOLDS = 8;
const PAGE = 'docs/search.md';

/**
 * `npm run eval`: how well the built program answers judged questions, with the model and without, asked
 * over REST on shelves that its own `sync` has made. One table for the train halves; `--test` reports
 * the test halves, so that nobody tunes on them by habit, and `--write` puts those into docs/search.md.
 * Names of sets ("papers", "events: asked") report only those that begin so; `--fresh` builds all
 * shelves anew, `--kalshi` stores the recorded events of Kalshi beside those of Polymarket, and `--json FILE` also writes each reply. `--fit` fits the verdict on the train halves and
 * writes it into data/fitted.json.
 */
async function main(args: readonly string[]): Promise<void> {
  const isWritten = args.includes('--write');
  const half: Half = isWritten || args.includes('--test') ? 'test' : 'train';
  const jsonAt = args.indexOf('--json');
  const json = jsonAt < 0 ? undefined : args[jsonAt + 1];
  const names = args.filter((arg) => !arg.startsWith('--') && arg !== json);
  if (isWritten && names.length > 0) throw new Error('--write needs all sets');
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const shelves = {
    models: await findModels(),
    isFresh: args.includes('--fresh'),
    withKalshi: args.includes('--kalshi'),
    log,
  };
  if (args.includes('--fit')) {
    const { fitVerdict } = await import('./eval/fit.ts');
    process.stdout.write(`${(await fitVerdict(shelves)).join('\n')}\n`);
    return;
  }
  const sets = readQuestions()
    .filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)))
    .map((set) => ({ ...set, questions: set.questions.filter((one) => one.half === half) }))
    .filter(({ questions }) => questions.length > 0);
  const answers: Answered[] = [];
  for (const shelf of new Set(sets.map((set) => set.shelf))) {
    const own = sets.filter((set) => set.shelf === shelf);
    answers.push(...(await askShelf(shelves, shelf, own)));
  }
  const lines = renderTable(answers);
  process.stdout.write(`${half} halves\n${lines.join('\n')}\n`);
  if (json !== undefined) writeFileSync(json, JSON.stringify(answers.map(plain), null, 1));
  if (isWritten) {
    const { replacePart } = await import('./readme.ts');
    const table = `\`\`\`text\n${lines.join('\n')}\n\`\`\``;
    writeFileSync(PAGE, replacePart(readFileSync(PAGE, 'utf8'), 'eval', table));
  }
}

/** Asks the sets of one shelf in both modes, and where they want it also without their answers. */
async function askShelf(
  shelves: Shelves,
  shelf: ShelfName,
  sets: readonly QuestionSet[],
): Promise<Answered[]> {
  const home = await openShelf(shelves, shelf);
  if (home === null) {
    shelves.log(`${shelf}: no recordings, left out`);
    return [];
  }
  const asked = sets.flatMap((set) => set.questions.map((question) => ({ set, question })));
  const answers: Answered[] = [];
  for (const replies of await inBothModes(home, shelves, asked)) answers.push(...replies);
  const withdrawing = asked.filter(
    ({ set, question }) => set.isWithdrawn && question.grades.size > 0,
  );
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const own = withdrawing.filter((_, at) => at % FOLDS === fold);
    const ids = new Set(own.flatMap(({ question }) => [...question.grades.keys()]));
    const place = own.length === 0 ? null : await openShelf(shelves, shelf, [...ids].sort());
    if (place === null) continue;
    for (const replies of await inBothModes(place, shelves, own)) {
      for (const { question, mode, reply } of replies) {
        if (reply.ids.some((id) => question.grades.has(id)))
          throw new Error(`the answer to "${question.query}" was not withdrawn`);
        const answer = answers.find((one) => one.question === question && one.mode === mode);
        if (answer !== undefined) answer.withdrawn = reply;
      }
    }
  }
  return answers;
}

/** The replies of two servers at once, one for each mode. */
function inBothModes(
  home: string,
  { models }: Shelves,
  asked: readonly { set: QuestionSet; question: Question }[],
): Promise<Answered[][]> {
  return Promise.all(
    (['hybrid', 'lexical'] as const).map(async (mode) => {
      const server = await Server.open(home, mode, models);
      const answers: Answered[] = [];
      for (const { set, question } of asked) {
        const reply = await server.ask(set.tool, question.query);
        answers.push({ set, question, mode, reply });
      }
      await server.close();
      return answers;
    }),
  );
}

function plain({ set, question, mode, reply, withdrawn }: Answered) {
  const { query, grades } = question;
  return { set: set.name, mode, query, relevant: Object.fromEntries(grades), reply, withdrawn };
}

await main(process.argv.slice(2));
