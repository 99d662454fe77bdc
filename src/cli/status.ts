import { stat } from 'node:fs/promises';
import type { App } from '../app/app.ts';
import { VERSION } from '../app/built.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import { isModelPresent } from '../app/model-download.ts';
import { type DueRelease, listDue } from '../areas/macro/due.ts';
import { isStale } from '../areas/macro/notices.ts';
import { listSeries, summariseMacro } from '../areas/macro/queries.ts';
import { hasFailed, listPulls, listVenues, summariseMarkets } from '../areas/markets/queries.ts';
import { titleOfVenue, venuesOf } from '../areas/markets/sources/venues.ts';
import { summarisePapers } from '../areas/papers/queries.ts';
import { type Config, storePath } from '../config.ts';
import { goOnline } from '../core/context.ts';
import { collectNews, newsLines } from '../core/news.ts';
import { countOf } from '../core/text.ts';
import { MODEL } from '../embedding/pinned.ts';
import { news } from '../operations.ts';
import { readSyncState, type SyncState } from '../store/state.ts';
import { listBlocks } from '../store/upstreams.ts';
import type { Invocation } from './commands.ts';
import { grouped, megabytes, type Terminal, toMinute } from './terminal.ts';

/** Runs `quantshelf status`; returns the exit code. */
export async function printStatus(
  app: LazyApp,
  config: Config,
  { json, since, due: days }: Omit<Extract<Invocation, { name: 'status' }>, 'name'>,
  { print }: Pick<Terminal, 'print'>,
): Promise<number> {
  const opened = await app.open();
  const added = since === undefined ? undefined : collectNews(news, opened.context, since);
  const due = days === undefined ? undefined : listDue(opened.db, opened.context.now(), days);
  const model = { id: MODEL.id, present: await isModelPresent(config) };
  const status = await describeStatus(opened, config.home, model);
  const lines = [
    renderStatus(status, config.offline),
    ...(added === undefined ? [] : ['', ...newsLines(added)]),
    ...(due === undefined ? [] : ['', ...dueLines(due)]),
  ];
  print(json ? JSON.stringify({ ...status, new: added, due }) : lines.join('\n'));
  return 0;
}

/** One line per release. Daily series are left out. */
function dueLines(due: readonly DueRelease[]): string[] {
  if (due.length === 0) return ['nothing is due, daily series aside'];
  return due.map(({ date, exact, release, period, indicators }) => {
    return `${exact ? '      ' : 'about '}${date}  ${release} (${period}): ${indicators.join(', ')}`;
  });
}

/** The output of `status --json`, without news and due releases. Dates are ISO 8601 or null. */
async function describeStatus(
  { db, account, context }: App,
  home: string,
  model: { id: string; present: boolean },
) {
  const path = storePath(home);
  const syncOf = (area: string) => readSyncState(db, area);
  const { fault, ...macro } = summariseMacro(db);
  const macroSync = syncOf('macro');
  const series = listSeries(db);
  return {
    version: VERSION,
    store: { path, bytes: (await stat(path)).size },
    model,
    account: { name: account.name, credits: account.balance() },
    papers: { ...summarisePapers(db), ...syncOf('papers') },
    macro: {
      ...macro,
      // By the same rule as `stale` in a history.
      stale: series.filter((each) => isStale(each, context.now())).length,
      ...macroSync,
      lastError: macroSync.lastError ?? fault,
      series: series.map((each) => ({
        series_id: each.seriesId,
        source: each.agency ?? each.origin,
        observation_end: each.observationEnd,
        // Null for bundled figures.
        checked_at: each.checkedAt,
      })),
    },
    markets: { ...summariseMarkets(db), ...syncOf('markets'), venues: describeVenues(db) },
    pauses: listBlocks(db, context.now()),
  };
}

/** Describes the venues that are enabled or have events. */
function describeVenues(db: App['db']) {
  const pulls = listPulls(db);
  const stored = listVenues(db);
  const on: readonly string[] = venuesOf(pulls);
  const names = new Set([...on, ...stored.map(({ source }) => source)]);
  return [...names].map((source) => ({
    source,
    on: on.includes(source),
    failed: hasFailed(pulls, source),
    events: 0,
    newest: null,
    ...stored.find((venue) => venue.source === source),
  }));
}

type Status = Awaited<ReturnType<typeof describeStatus>>;

function renderStatus(status: Status, isOffline: boolean): string {
  const { papers, macro, markets, model, store, account } = status;
  return [
    `quantshelf ${status.version}`,
    `store    ${store.path} (${megabytes(store.bytes)})`,
    `model    ${model.id}: ${model.present ? 'present' : `not ready; ${goOnline(isOffline)}download it with \`quantshelf model\``}`,
    `account  ${account.name}: ${countOf(account.credits, 'credit')}`,
    `papers   ${grouped(papers.count)}, ${grouped(papers.withFullText)} with full text${papers.own === 0 ? '' : `, ${grouped(papers.own)} of your own`}, newest from ${day(papers.newest)}, data as of ${day(papers.asOf)}${describeSync(papers)}`,
    `macro    ${macro.count} indicators, ${macro.withObservations} with figures, the latest for ${day(macro.newest)}, data as of ${day(macro.oldest)} to ${day(macro.asOf)}, ${macro.stale} out of date${describeSync(macro)}`,
    `markets  ${countOf(markets.count, 'event')}, ${grouped(markets.active)} of them active when last seen, odds as of ${day(markets.newest)}${describeSync(markets)}`,
    ...markets.venues.map(describeVenue),
    ...status.pauses.map(
      ({ upstream, until }) =>
        `pause    ${upstream} gets no requests until ${toMinute(until)}; \`quantshelf sync --force\` ignores this`,
    ),
  ].join('\n');
}

function day(date: string | null): string {
  return date === null ? 'none' : date.slice(0, 10);
}

function describeVenue(venue: Status['markets']['venues'][number]) {
  const { source, on, events, newest, failed } = venue;
  const age =
    newest === null ? '' : `, odds as of ${day(newest)}${on ? '' : ' (off: kept, not refreshed)'}`;
  const fault = failed ? '; the last refresh did not finish' : '';
  return `         ${grouped(events)} from ${titleOfVenue(source)}${age}${fault}`;
}

function describeSync({ lastSync, lastError }: SyncState): string {
  const synced = lastSync === null ? '' : `, last sync ${toMinute(lastSync)}`;
  return lastError === null ? synced : `${synced}; last error: ${lastError}`;
}
