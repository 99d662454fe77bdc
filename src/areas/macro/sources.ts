import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError } from '../../upstream/failures.ts';
import { easternDay } from './agencies/calendar.ts';
import { AGENCIES, type Feed } from './agencies/feed.ts';
import { storeAgencySeries, storedFigures } from './agency-ingest.ts';
import type { FredSource } from './fred.ts';
import { fetchVintages } from './fred-vintages.ts';
import { storeFill } from './ingest.ts';
import { findLastDate, findRefreshState } from './queries.ts';
import { isDue, isFredDue } from './schedule.ts';
import type { Source } from './visit.ts';

/** How far FRED's dates may be ahead of ours, for time zones and a slow clock. */
const DAYS_AHEAD = 2;
/** How far the dates of a series may be ahead: no series of the catalogue has projections. */
const OBSERVATION_DAYS_AHEAD = 366;

/** One series of FRED: whole the first time, then the changes since the last vintage stored. */
export function fredSource(fred: FredSource, seriesId: string): Source {
  return {
    ...{ name: seriesId, title: 'FRED', by: 'fred', lock: 'macro', seriesIds: [seriesId] },
    isDue: isFredDue,
    async fetch({ db, now, log }, signal) {
      const last = findRefreshState(db, seriesId)?.lastVintage ?? null;
      // FRED refuses queries from the future, so a vintage date further ahead would block every later refresh.
      const latest = shiftDay(now().toISOString().slice(0, 10), DAYS_AHEAD);
      const since = last !== null && last <= latest ? last : null;
      const fetched = await fetchVintages(fred, seriesId, since, { signal });
      // The last date that FRED has given decides what an agency may add after it.
      const end = shiftDay(latest, OBSERVATION_DAYS_AHEAD);
      const fill = { ...fetched, vintages: fetched.vintages.filter(({ date }) => date <= end) };
      const dropped = fetched.vintages.length - fill.vintages.length;
      if (dropped > 0) log(`${seriesId}: ${dropped} values of dates in the far future left out`);
      if (fill.lastVintage > latest) {
        throw new InvalidResponseError('FRED sent a vintage date in the future.');
      }
      // Where an agency is ahead, FRED is overdue.
      const newest = fill.vintages.findLast((each) => each.rtEnd === null && each.value !== null);
      return { store: () => ({ isChanged: storeFill(db, fill), last: newest?.date ?? null }) };
    },
  };
}

/** All series of an agency's release. */
export function agencySource(feed: Feed): Source {
  const { name, agency, seriesIds } = feed;
  return {
    ...{ name, title: AGENCIES[agency].name, by: 'agency', lock: `macro-${name}`, seriesIds, feed },
    isDue: ({ nextDue }, now) => isDue(nextDue, now),
    async fetch({ db, now }, signal) {
      const stored = storedFigures(db);
      const today = easternDay(now());
      const delivery = await feed.fetch(stored, today, signal);
      return {
        store(state) {
          const series = delivery?.find(({ seriesId }) => seriesId === state.seriesId);
          const isChanged =
            delivery !== null && storeAgencySeries(db, { feed, series, state, today });
          return { isChanged, last: findLastDate(db, state.seriesId) };
        },
        finish: stored.saveVersions,
      };
    },
  };
}
