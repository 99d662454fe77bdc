import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PAPER_PARSER } from '../app/built.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import { readPaperId } from '../areas/papers/find.ts';
import { createParser } from '../areas/papers/full-text/parser.ts';
import { readBibliography } from '../areas/papers/own-bibliography.ts';
import { describeFileFault } from '../areas/papers/own-files.ts';
import { addOwnFiles, type OwnReport } from '../areas/papers/own-shelf.ts';
import { listFilesOf, listOwnFiles, removeFiles } from '../areas/papers/own-store.ts';
import { type Config, syncLockPath } from '../config.ts';
import { UsageError } from '../core/errors.ts';
import { countOf } from '../core/text.ts';
import { LockHeldError, withProcessLock } from '../store/lock.ts';
import { withProgress } from './sync.ts';
import type { Terminal } from './terminal.ts';

interface AddCommand {
  name: 'add';
  paths: readonly string[];
  recursive: boolean;
  bib: string | undefined;
  dryRun: boolean;
  json: boolean;
}

interface RemoveCommand {
  name: 'remove';
  targets: readonly string[];
  json: boolean;
}

export type OwnCommand = AddCommand | RemoveCommand;

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
      { signal, held: 'Another `quantshelf add` or `remove` is running. Let it finish first.' },
    );
  } catch (error) {
    if (signal.aborted && error === signal.reason) terminal.log(STOPPED);
    else if (error instanceof LockHeldError) terminal.log(error.message);
    else throw error;
    return 1;
  }
}

async function add(
  app: LazyApp,
  config: Config,
  { paths, recursive, bib, dryRun, json }: AddCommand,
  { log, print }: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { writer: db } = await app.open();
  const entries = bib === undefined ? [] : await readBib(resolve(bib), log);
  const shown = { config, signal, log, isOnline: !config.offline };
  const report = await withProgress(db, shown, (tools) =>
    addOwnFiles({
      ...tools,
      entries,
      isDryRun: dryRun,
      isRecursive: recursive,
      targets: paths.map((path) => resolve(path)),
      parse: createParser(PAPER_PARSER, { isOwn: true }),
    }),
  );
  print(json ? JSON.stringify(report) : render(report, dryRun));
  return report.failed.length > 0 || report.error !== null ? 1 : 0;
}

async function readBib(path: string, log: (line: string) => void) {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--bib ${path}: ${describeFileFault(error)}.`);
  });
  return readBibliography(text, path, log);
}

const STATES = {
  added: 'added',
  joined: 'matched to papers on the shelf',
  changed: 'read again',
  moved: 'moved',
  copy: 'further files of a paper',
  unchanged: 'unchanged',
  failed: 'not read',
  embedded: 'embedded',
} as const;

function render({ counts, papers, gone, embedded, error }: OwnReport, isDryRun: boolean): string {
  const numbers = new Map(Object.entries({ ...counts, embedded }));
  const done = Object.entries(STATES).flatMap(([state, what]) => {
    const count = numbers.get(state) ?? 0;
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} ${what}`];
  });
  const list = done.join(', ') || 'no PDF and no saved page was found';
  return [
    ...papers.flatMap(({ path, title, authors, published, sourcePaperId }) => [
      path,
      `  ${title}`,
      `  ${authors.join(', ') || 'authors unknown'}; ${published ?? 'date unknown'}; ${sourcePaperId}`,
    ]),
    `${list}.${isDryRun ? ' Nothing was stored: this was a dry run.' : ''}`,
    ...gone.map((path) => `gone: ${path}; \`quantshelf remove\` takes it off the shelf`),
    ...(error === null ? [] : [error]),
  ].join('\n');
}

async function remove(
  app: LazyApp,
  { targets, json }: RemoveCommand,
  { log, print }: Terminal,
): Promise<number> {
  const { writer: db } = await app.open();
  const pathsOf = (target: string) => [
    ...listOwnFiles(db, resolve(target)).map(({ path }) => path),
    ...listFilesOf(db, readPaperId(target).cardId),
  ];
  const unknown = targets.filter((target) => pathsOf(target).length === 0);
  const paths = [...new Set(targets.flatMap(pathsOf))];
  const papers = removeFiles(db, paths);
  for (const target of unknown) log(`${target}: none of your own papers has this id or path.`);
  print(
    json
      ? JSON.stringify({ files: paths.length, papers, unknown })
      : `${countOf(papers, 'paper')} and ${countOf(paths.length, 'file')} taken off the shelf; nothing on the disk is deleted.`,
  );
  return unknown.length > 0 ? 1 : 0;
}
