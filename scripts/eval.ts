import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askedTable } from './eval/asked.ts';
import { calibrate } from './eval/calibrate.ts';
import { type Collection, readEvents, readQfinPapers } from './eval/collections.ts';
import { openCachedEmbedder } from './eval/embed-cache.ts';
import { excludedTable } from './eval/excluded.ts';
import { macroTable } from './eval/macro.ts';
import { readNeighbours } from './eval/neighbours.ts';
import { readPublicCollections } from './eval/public.ts';
import { rankingTable } from './eval/report.ts';
import { addMixedCards, recallTable } from './eval/scale.ts';
import { sectionsTable } from './eval/sections.ts';
import { readStarter } from './eval/starter.ts';
import { type Claims, claimsTable, verdictTable } from './eval/verdicts.ts';
import { replacePart } from './readme.ts';

const SCALE = 30_000;
/** Recorded collections, where all are there; public ones come besides. */
const RECORDED = 12;

/**
 * `npm run eval`: quality of hybrid search compared with lexical-only and vector-only baselines, and
 * of the verdict on queries with and without an answer. Reports the train halves, on which the weights
 * are tuned; `--test` reports the test halves, so that nobody tunes on them by habit, and `--write` also
 * puts them into docs/search.md. `--asked` reports only the ways of asking, `--verdicts` only the verdict,
 * `--macro` only the macro indicators; `--calibrate` fits the verdict. `--scale` extends the papers to
 * 30,000 and reports the recall for different numbers of candidates. See data/eval/README.md for how
 * queries were judged.
 */
async function main(flags: readonly string[]): Promise<void> {
  const isWritten = flags.includes('--write');
  const half = isWritten || flags.includes('--test') ? 'test' : 'train';
  if (flags.includes('--macro')) {
    print(await macroTable(half));
    if (isWritten) writeParts({ 'eval-macro': printed });
    return;
  }
  const embedder = openCachedEmbedder((line) => process.stderr.write(`${line}\n`));
  const scratch = mkdtempSync(join(tmpdir(), 'quantshelf-eval-'));
  const shared = process.env.QUANTSHELF_EVAL_DATA ?? '../shared';
  const papers = await readQfinPapers(shared, embedder);
  const events = [await readEvents(shared, embedder), ...(await readNeighbours(shared, embedder))];
  const starter = readStarter(join(scratch, 'starter.sqlite'));
  const shelves = [...papers, ...events, ...starter].filter((collection) => collection !== null);
  const [judged] = papers;
  if (flags.includes('--scale') && judged !== undefined) {
    addMixedCards(judged, SCALE);
    const mixed = { ...judged, name: `q-fin, mixed to ${SCALE.toLocaleString('en')}` };
    print(await rankingTable(mixed, half, embedder));
    print(await recallTable(mixed, half, embedder));
  } else if (flags.includes('--calibrate')) print(await calibrate(shelves, embedder));
  else {
    const isWhole = !flags.includes('--asked') && !flags.includes('--verdicts');
    const published = isWhole ? await readPublicCollections(shared, half, embedder) : [];
    const recorded = [...papers, ...events].filter((collection) => collection !== null);
    const isComplete = recorded.length === RECORDED && published.length > 0;
    if (isWhole && !isComplete)
      print([
        `under ${shared}: ${recorded.length} of ${RECORDED} recorded collections, ${published.length} public`,
      ]);
    const isAsked = ({ judged }: Collection) => judged.some((question) => question.half === half);
    for (const collection of isWhole
      ? [...recorded, ...published, ...starter].filter(isAsked)
      : []) {
      print(await rankingTable(collection, half, embedder));
    }
    if (isWhole) print(await sectionsTable(shared, half, embedder));
    for (const collection of flags.includes('--verdicts') ? [] : shelves.filter(isAsked)) {
      print(await askedTable(collection, half, embedder));
    }
    if (!flags.includes('--verdicts') && judged !== undefined) {
      print(await excludedTable(judged, half, embedder));
    }
    const claims: Claims = { strong: [], none: [] };
    for (const collection of flags.includes('--asked') ? [] : shelves.filter(isAsked)) {
      print(await verdictTable(collection, half, embedder, claims));
    }
    if (!flags.includes('--asked')) print(claimsTable(claims, half));
    const macro = isWhole ? await macroTable(half) : [];
    if (isWritten) {
      if (!isWhole || !isComplete)
        throw new Error('--write needs all tables, all recorded collections and a public one');
      writeParts({ eval: printed, 'eval-macro': [macro.join('\n')] });
    }
    if (isWhole) print(macro);
  }
  await embedder.close();
  rmSync(scratch, { recursive: true });
}

/** Puts what was printed into docs/search.md. */
function writeParts(parts: Readonly<Record<string, readonly string[]>>): void {
  const page = 'docs/search.md';
  const text = Object.entries(parts).reduce(
    (before, [name, lines]) => replacePart(before, name, fenced(lines)),
    readFileSync(page, 'utf8'),
  );
  writeFileSync(page, text);
}

function fenced(parts: readonly string[]): string {
  return `\`\`\`text\n${parts.join('\n\n')}\n\`\`\``;
}

const printed: string[] = [];

function print(lines: readonly string[]): void {
  if (lines.length === 0) return;
  printed.push(lines.join('\n'));
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

await main(process.argv.slice(2));
