import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, open, realpathSync, statSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import type { LazyApp } from '../app/lazy-app.ts';
import { exportMacro } from '../areas/macro/export.ts';
import { exportMarkets } from '../areas/markets/export.ts';
import { exportBibtex, exportPapers } from '../areas/papers/export.ts';
import { paperSearch } from '../areas/papers/operations.ts';
import type { Config } from '../config.ts';
import type { Area, ExportTable, ExportValue } from '../core/area.ts';
import { flushFile, isDiskFull } from '../core/disk.ts';
import { withoutNulls } from '../core/envelope.ts';
import { codeOf, firstLineOf } from '../core/errors.ts';
import { run } from '../core/run.ts';
import { isStoreFault } from '../store/connection.ts';
import type { Terminal } from './terminal.ts';

export interface ExportCommand {
  name: 'export';
  area: Area;
  /** Indicators, or paper ids. */
  names: readonly string[];
  query?: string | undefined;
  /** YYYY-MM-DD, like `since` and `until`. */
  asOf?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  vintages?: boolean | undefined;
  strict?: boolean | undefined;
  wide?: boolean | undefined;
  format: 'csv' | 'json' | 'ndjson' | 'bibtex';
  /** Keeps spreadsheets from running texts in CSV as formulas. */
  safeCsv?: boolean | undefined;
  /** File path; `-` is stdout. */
  out: string;
}

/** Minimum number of characters per write, except for the last. */
const CHUNK = 64 * 1024;

const openFile = promisify(open);
/** Names of the store's files and of locks. Some file systems ignore case. */
const STORE_FILE = /^quantshelf\.sqlite|\.lock$/i;

/** `quantshelf export`: streams rows from the store; returns the exit code. */
export async function exportArea(
  app: LazyApp,
  command: ExportCommand,
  { home }: Pick<Config, 'home'>,
  { log, stopSignal }: Terminal,
): Promise<number> {
  const signal = stopSignal(new Error('Stopped.'));
  let effect = 'Nothing was written.';
  const fail = (error: unknown) => {
    // The reader, such as `head`, has read enough.
    if (command.out === '-' && codeOf(error) === 'EPIPE') return 0;
    // The caller explains a fault of the store.
    if (isStoreFault(error)) {
      log(effect);
      throw error;
    }
    log(signal.aborted ? `Stopped. ${effect}` : describeFault(error, command.out, effect));
    return 1;
  };
  // Open the output first, so that nothing is charged for papers that cannot be written.
  const output = await openOutput(command.out, home).catch(fail);
  if (typeof output === 'number') return output;
  if (output.isDirect) effect = 'The export is incomplete.';
  try {
    const { db, context } = await app.open();
    const papers = await findPapers(app, command.query, log);
    if (papers === null) return 1;
    const selected = { ...command, names: [...command.names, ...papers] };
    const { text, notice } = render(db, selected, context.isOffline);
    if (notice !== undefined) log(notice);
    return await write(text, output.stream, signal)
      .then(() => output.commit())
      .then(() => 0, fail);
  } finally {
    await output.close();
  }
}

/** Ids of the papers that match `query`; empty without one. Logs why and returns null if the search finds none or fails. */
async function findPapers(
  { open }: LazyApp,
  query: string | undefined,
  log: (line: string) => void,
): Promise<string[] | null> {
  if (query === undefined) return [];
  const { ok, envelope } = await run(paperSearch, { query, topK: 10 }, { open, log });
  const cards = ok ? paperSearch.output.parse(envelope.data) : [];
  if (ok && envelope.meta.verdict === 'none' && cards.length > 0) {
    log('Nothing on the shelf seems related to this query; these papers are the nearest.');
  }
  if (cards.length > 0) return cards.map(({ paperCardId }) => paperCardId);
  log(ok ? 'No paper matches this query, so nothing was exported.' : envelope.error.message);
  return null;
}

/** The text of an export, in pieces, and a notice for the user, if any. */
function render(
  db: Database,
  { area, names, format, safeCsv = false, ...selection }: ExportCommand,
  isOffline?: boolean,
): { text: Iterable<string>; notice?: string | undefined } {
  const { since, until, asOf, vintages = false, strict = false, wide = false } = selection;
  const days = withoutNulls({ since, until });
  const papers = { ids: names, ...days };
  if (format === 'bibtex') return { text: exportBibtex(db, papers) };
  const table = {
    papers: () => exportPapers(db, papers),
    macro: () => {
      const how = { ...days, ...withoutNulls({ asOf }), vintages, strict, wide, isOffline };
      return exportMacro(db, { indicators: names, ...how });
    },
    markets: () => exportMarkets(db, { ...days, now: new Date() }),
  }[area]();
  const text = format === 'csv' ? toCsv(table, safeCsv) : toJson(table, format);
  return { text, notice: table.notice };
}

/** RFC 4180 CSV with LF line endings. If `isSafe`, an apostrophe stops spreadsheets from running texts as formulas. */
function* toCsv({ columns, rows }: ExportTable, isSafe: boolean): Generator<string> {
  const isFormula = (value: ExportValue) => typeof value === 'string' && FORMULA.test(value);
  const cellOf = (value: ExportValue) => toCell(isSafe && isFormula(value) ? `'${value}` : value);
  yield `${columns.map(toCell).join(',')}\n`;
  for (const row of rows) yield `${row.map(cellOf).join(',')}\n`;
}

/** The formula prefixes from https://owasp.org/www-community/attacks/CSV_Injection. */
const FORMULA = /^[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

function toCell(value: ExportValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  // An empty text is quoted, to distinguish it from a missing value.
  return value === '' || SPECIAL.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** One object per row: in an array, or one per line. */
function* toJson(
  { columns, rows, lists = [] }: ExportTable,
  format: 'json' | 'ndjson',
): Generator<string> {
  const isList = columns.map((column) => lists.includes(column));
  const names = columns.map((column) => JSON.stringify(column));
  const [open, between, close] = format === 'json' ? ['[\n', ',\n', '\n]\n'] : ['', '\n', '\n'];
  let before = open;
  for (const row of rows) {
    const fields = row.map(
      (value, at) => `${names[at]}:${isList[at] && value !== null ? value : JSON.stringify(value)}`,
    );
    yield `${before}{${fields.join(',')}}`;
    before = between;
  }
  if (before === open) yield format === 'json' ? '[]\n' : '';
  else yield close;
}

/** Writes the text at the reader's pace. */
async function write(
  text: Iterable<string>,
  to: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> {
  const chunks = Readable.from(inChunks(text), { highWaterMark: 1 });
  await pipeline(chunks, to, { signal, end: to !== process.stdout });
}

function* inChunks(text: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of text) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/**
 * Opens stdout for `-`, else a temporary file that atomically replaces the named one. A pipe or device is
 * written to directly. Rejects with the file system's error, or if `out` is a file of the store or a lock.
 */
async function openOutput(out: string, home: string) {
  // `/dev/stdout` is a symlink; resolving it would target a regular file.
  if (out === '-' || out === '/dev/stdout')
    return { stream: process.stdout, isDirect: true, async commit() {}, async close() {} };
  // Replace the file behind a symlink, not the symlink.
  const path = existsSync(out) ? realpathSync(out) : resolve(out);
  const stored = statSync(path, { throwIfNoEntry: false });
  const isFile = stored?.isFile() ?? true;
  const isInHome = existsSync(home) && realpathSync(dirname(path)) === realpathSync(home);
  if (isInHome && STORE_FILE.test(basename(path))) {
    throw new Error(`${out} belongs to the store. Choose another file.`);
  }
  if (isFile) await removeRemains(path);
  const written = isFile ? `${path}.${randomUUID()}.tmp` : path;
  const stream = createWriteStream(written, { fd: await openFile(written, isFile ? 'wx' : 'w') });
  return {
    stream,
    /** Whether what was written before a failure stays. */
    isDirect: !isFile,
    /** Moves a finished file into place. */
    async commit() {
      if (!isFile) return;
      if (stored !== undefined) await chmod(written, stored.mode);
      await flushFile(written);
      await rename(written, path);
    },
    /** Closes the stream and removes a file that was not committed. */
    async close() {
      // Rejects with the error that ended the export, after the file was closed.
      if (!stream.closed) await once(stream.destroy(), 'close').catch(() => {});
      if (isFile) await rm(written, { force: true });
    },
  };
}

/** Suffix of an unfinished export's file name. */
const REMAINS = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;
/** A running export writes to its file more often than this. */
const ABANDONED_MS = 60 * 60_000;

/** Removes leftovers of killed exports to the same file. */
async function removeRemains(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(basename(path)) || !REMAINS.test(name.slice(basename(path).length)))
      continue;
    const remains = join(dirname(path), name);
    const written = statSync(remains, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;
    if (Date.now() - written > ABANDONED_MS) await rm(remains, { force: true });
  }
}

function describeFault(error: unknown, out: string, effect: string): string {
  if (isDiskFull(error, dirname(resolve(out)))) {
    return `The disk is full. ${effect} Free some space and run this again.`;
  }
  const code = codeOf(error);
  if (code === 'ENOENT')
    return `${out} cannot be written: its directory does not exist. Create it first.`;
  if (code === 'EISDIR') return `${out} is a directory. Name a file in it.`;
  if (/^E[A-Z]+$/.test(code)) return `${out} cannot be written (${code}). Name a file elsewhere.`;
  return firstLineOf(error);
}
