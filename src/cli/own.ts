import { resolve } from 'node:path';
import { PAPER_PARSER } from '../app/built.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import type { Bibliography } from '../areas/papers/bibliography.ts';
import { readPaperId } from '../areas/papers/find.ts';
import { createParser, runInThread } from '../areas/papers/full-text/parser.ts';
import { readBibliography } from '../areas/papers/own-identity.ts';
import { addOwnFiles, type OwnReport } from '../areas/papers/own-shelf.ts';
import { type FileRow, isUnder, listOwnFiles, removeFiles } from '../areas/papers/own-store.ts';
import { getPaperById } from '../areas/papers/queries.ts';
import { type Config, syncLockPath } from '../config.ts';
import { serviceUnavailable } from '../core/errors.ts';
import { countOf, toLogLine } from '../core/text.ts';
import { withProcessLock } from '../store/lock.ts';
import type { OwnCommand } from './own-options.ts';
import { withProgress } from './sync.ts';
import type { Terminal } from './terminal.ts';

/** Parsing 10,000 entries takes about 20 seconds. */
const BIB_LIMITS = { longestMs: 120_000 };

/** Runs `quantshelf add`; returns the exit code. */
export async function addPapers(
  app: LazyApp,
  config: Config,
  { targets, recursive = false, bib, dryRun = false, json = false }: OwnCommand,
  { log, print, stopSignal }: Terminal,
): Promise<number> {
  const { writer: db } = await app.open();
  const stopped = dryRun
    ? 'Stopped. Nothing was stored.'
    : 'Stopped. Papers added so far are kept; run `quantshelf add` again to continue.';
  const signal = stopSignal(serviceUnavailable(stopped));
  const parseBib = (bibliography: string) =>
    runInThread<Bibliography>(PAPER_PARSER, { bibliography }, BIB_LIMITS, signal);
  const entries = bib === undefined ? [] : await readBibliography(resolve(bib), parseBib, log);
  const shown = { config, signal, log, isOnline: !config.offline };
  const add = () =>
    withProgress(db, shown, (tools) =>
      addOwnFiles({
        ...tools,
        entries,
        isDryRun: dryRun,
        isRecursive: recursive,
        targets: targets.map((target) => resolve(target)),
        parse: createParser(PAPER_PARSER, { isOwn: true }),
      }),
    );
  const onWait = () => log('Another `quantshelf add` is running: waiting for it.');
  const report = await withProcessLock(syncLockPath(config.home, 'own'), add, { signal, onWait });
  print(json ? JSON.stringify(report) : render(report, { dryRun, recursive }));
  return report.failed.length > 0 || report.error !== null ? 1 : 0;
}

export function render(report: OwnReport, { dryRun, recursive }: Partial<OwnCommand>): string {
  const { counts, papers, failed, gone, embedded, error } = report;
  const done = Object.entries({ ...counts, failed: failed.length, embedded })
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count.toLocaleString('en-US')} ${state}`);
  const deeper = recursive ? '' : '; --recursive includes subfolders';
  const none = error === null ? [`0 PDFs or saved pages found${deeper}`] : [];
  const list = (done.length > 0 ? done : none).join(', ');
  return [
    ...papers.flatMap(({ path, title, authors, published, sourcePaperId }) => [
      `${toLogLine(path)}: ${title}`,
      `  ${authors.join(', ') || 'authors unknown'}; ${published || 'date unknown'}; ${sourcePaperId}`,
    ]),
    ...(list === '' ? [] : [`${dryRun ? 'Dry run (nothing stored): ' : ''}${list}.`]),
    ...gone.map((path) => `gone: ${toLogLine(path)}; \`quantshelf remove\` takes it off the shelf`),
    ...(error === null ? [] : [error]),
  ].join('\n');
}

/** Runs `quantshelf remove`; returns the exit code. */
export async function removePapers(
  app: LazyApp,
  { targets, json = false }: OwnCommand,
  { log, print }: Terminal,
): Promise<number> {
  const { writer: db } = await app.open();
  const isMeant = (target: string, { path, paperId }: FileRow) =>
    isUnder(path, resolve(target)) ||
    getPaperById(db, paperId)?.cardId === readPaperId(target).cardId;
  const all = listOwnFiles(db);
  const files = all.filter((file) => targets.some((target) => isMeant(target, file)));
  const unknown = targets.filter((target) => !all.some((file) => isMeant(target, file)));
  const papers = removeFiles(db, files);
  for (const target of unknown) log(`${target}: none of your own papers has this id or path.`);
  print(
    json
      ? JSON.stringify({ files: files.length, papers, unknown })
      : `${countOf(papers, 'paper')} and ${countOf(files.length, 'file')} taken off the shelf; no file on disk was deleted.`,
  );
  return unknown.length > 0 ? 1 : 0;
}
