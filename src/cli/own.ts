import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PAPER_PARSER } from '../app/built.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import { loadModel } from '../app/sync.ts';
import { readPaperId } from '../areas/papers/find.ts';
import { createParser } from '../areas/papers/full-text/parser.ts';
import { readBibliography } from '../areas/papers/own-bibliography.ts';
import { describeFileFault } from '../areas/papers/own-files.ts';
import { addOwnFiles, type OwnReport } from '../areas/papers/own-shelf.ts';
import { listFilesOf, listOwnFiles, removeFiles } from '../areas/papers/own-store.ts';
import { type Config, syncLockPath } from '../config.ts';
import { UsageError } from '../core/errors.ts';
import { LockHeldError, withProcessLock } from '../store/lock.ts';
import { type Progress, showDownloads, startProgress, type Terminal } from './terminal.ts';

export type OwnCommand =
  | {
      name: 'add';
      paths: readonly string[];
      recursive: boolean;
      bib: string | undefined;
      dryRun: boolean;
      json: boolean;
    }
  | { name: 'remove'; targets: readonly string[]; json: boolean };

/** How long a second command waits for the first, in milliseconds. */
const LOCK_MS = 1_000;
const STOPPED = 'Stopped. What was read is kept; run it again to go on.';

/** `quantshelf add` and `quantshelf remove`; returns the exit code. */
export async function runOwn(
  app: LazyApp,
  config: Config,
  command: OwnCommand,
  terminal: Terminal,
): Promise<number> {
  // Before the wait for the lock: a signal then ends it, too.
  const signal = terminal.stopSignal(new Error(STOPPED));
  const lock = syncLockPath(config.home, 'own');
  await app.open();
  try {
    return await withProcessLock(
      lock,
      () =>
        command.name === 'add'
          ? add(app, config, command, terminal, signal)
          : remove(app, command, terminal),
      { signal, longestMs: LOCK_MS },
    );
  } catch (error) {
    const isHeld = error instanceof LockHeldError && error.path === lock;
    if (!isHeld && !(signal.aborted && error === signal.reason)) throw error;
    terminal.log(
      isHeld ? 'Another `quantshelf add` or `remove` is running. Let it finish first.' : STOPPED,
    );
    return 1;
  }
}

async function add(
  app: LazyApp,
  config: Config,
  { paths, recursive, bib, dryRun, json }: Extract<OwnCommand, { name: 'add' }>,
  { log, print }: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { writer: db } = await app.open();
  let bar: Progress | undefined;
  const say = (line: string) => (bar === undefined ? log(line) : bar.note(line));
  const entries = bib === undefined ? [] : await readBib(resolve(bib), say);
  try {
    const report = await addOwnFiles({
      ...{ db, signal, entries, isDryRun: dryRun, isRecursive: recursive, log: say },
      now: () => new Date(),
      targets: paths.map((path) => resolve(path)),
      parse: createParser(PAPER_PARSER, { isOwn: true }),
      startProgress(items) {
        bar?.end();
        bar = startProgress(items, log);
        return bar.show;
      },
      loadModel() {
        bar?.end();
        bar = undefined;
        const watch = { signal, onProgress: showDownloads(log) };
        return loadModel({ config, db, isOnline: !config.offline }, watch, log);
      },
    });
    bar?.end();
    bar = undefined;
    print(json ? JSON.stringify(report) : render(report, dryRun));
    return report.failed.length > 0 || report.error !== null ? 1 : 0;
  } finally {
    bar?.end();
  }
}

async function readBib(path: string, log: (line: string) => void) {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--bib ${path}: ${describeFileFault(error)}.`);
  });
  return readBibliography(text, path, log);
}

const STATES = [
  ['added', 'added'],
  ['joined', 'joined to papers of the shelf'],
  ['changed', 'read again'],
  ['moved', 'moved'],
  ['duplicate', 'other files of a paper'],
  ['copy', 'copies'],
  ['unchanged', 'unchanged'],
  ['failed', 'not read'],
] as const;

function render({ counts, papers, gone, embedded, error }: OwnReport, isDryRun: boolean): string {
  const done = STATES.flatMap(([state, what]) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} ${what}`];
  });
  const vectors = embedded === 0 ? [] : [`${embedded.toLocaleString('en-US')} embedded`];
  const list = [...done, ...vectors].join(', ') || 'no PDF and no saved page was found';
  return [
    ...papers.map(
      ({ path, title, authors, published, sourcePaperId }) =>
        `${path}\n  ${title}\n  ${[authors.join(', ') || 'authors unknown', published ?? 'date unknown', sourcePaperId].join('; ')}`,
    ),
    `${isDryRun ? 'dry run: ' : ''}${list}.`,
    ...gone.map((path) => `gone: ${path}; \`quantshelf remove\` takes it off the shelf`),
    ...(error === null ? [] : [error]),
  ].join('\n');
}

const say = (count: number, noun: string) =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

async function remove(
  app: LazyApp,
  { targets, json }: Extract<OwnCommand, { name: 'remove' }>,
  { log, print }: Terminal,
): Promise<number> {
  const { writer: db } = await app.open();
  const files = new Set<string>();
  const unknown: string[] = [];
  for (const target of targets) {
    const paths = [
      ...listOwnFiles(db, resolve(target)).map(({ path }) => path),
      ...listFilesOf(db, readPaperId(target).cardId),
    ];
    for (const path of paths) files.add(path);
    if (paths.length === 0) unknown.push(target);
  }
  const papers = removeFiles(db, [...files]);
  for (const target of unknown) log(`${target}: none of your own papers has this id or path.`);
  print(
    json
      ? JSON.stringify({ files: files.size, papers, unknown })
      : `${say(papers, 'paper')} and ${say(files.size, 'file')} taken off the shelf; nothing on the disk is deleted.`,
  );
  return unknown.length > 0 ? 1 : 0;
}
