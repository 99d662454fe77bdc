import { noticeOf, withoutNulls } from '../../core/envelope.ts';
import { invalidRequest, serviceUnavailable } from '../../core/errors.ts';
import { isCalendarDay } from '../../core/fields.ts';
import { type Resource, toJson } from '../../core/resource.ts';
import { latestDay } from '../../core/time.ts';
import { findCoverage, iterateKnown } from './as-of.ts';
import { identify, toItem } from './card.ts';
import { listDue } from './due.ts';
import { exportMacro } from './export.ts';
import { hasEnded } from './facts/releases.ts';
import { groupByDate, type Vintage } from './facts/vintages.ts';
import { completeIndicator, resolveSeries } from './find.ts';
import { describeCoverage, describeStored, explainEmpty, isStale } from './notices.ts';
import { listCurrent, listRounded, listSeries, listStored } from './queries.ts';

/** Number of observations in an indicator resource. */
const OBSERVATIONS = 24;
/** Maximum number of observations in an as-of resource. */
const MOST_KNOWN = 200;
const FORM = { area: 'macro', mimeType: 'application/json', ttlMs: 5 * 60_000 } as const;

export function asOfUri(alias: string, day: string): string {
  return `quantshelf://macro/${encodeURIComponent(alias)}/as-of/${day}`;
}

/** Throws `invalid_request` for text that is not a day, or a day in the future. */
export function expectPastDay(day: string, now: Date): void {
  expectDay(day, 'date');
  if (day > latestDay(now)) {
    throw invalidRequest('"date" must not be in the future: give today or an earlier day.', 'date');
  }
}

function expectDay(text: string, param: string): void {
  if (isCalendarDay(text)) return;
  throw invalidRequest(`"${param}" must be a real calendar day, YYYY-MM-DD.`, param);
}

const indicator: Resource = {
  name: 'indicator',
  title: 'Indicator and its revisions',
  description: `Catalogue entry of a U.S. macro indicator, and every value known to have been published for each of its last ${OBSERVATIONS} observations, with its publication day (an estimate unless "exact").`,
  ...FORM,
  uri: 'quantshelf://indicator/{alias}',
  complete: { alias: completeIndicator },
  list: ({ db }) =>
    listSeries(db).map((series) => ({
      uri: `quantshelf://indicator/${encodeURIComponent(series.indicator)}`,
      name: series.indicator,
      title: series.title,
    })),
  read({ alias = '' }, { db, now, isOffline }) {
    return db.transaction(() => {
      const series = resolveSeries(listSeries(db), 'indicator', alias);
      const [first] = listCurrent(db, series.seriesId, OBSERVATIONS);
      const vintages = listStored(db, series.seriesId, first?.date);
      const rounded = listRounded(db, series.seriesId, { start: first?.date });
      return toJson(
        {
          ...toItem(series, now()),
          stale: isStale(series, now()),
          ...(hasEnded(series) ? { ended: true } : {}),
          observations: toObservations(vintages, rounded),
        },
        {
          ...withoutNulls({ asOf: series.taken }),
          ...noticeOf(describeStored(series, vintages, { now: now(), isOffline })),
        },
      );
    })();
  },
};

const asOf: Resource = {
  name: 'indicator_as_of',
  title: 'Indicator as known on a day',
  description: `The last ${MOST_KNOWN} observations of a U.S. macro indicator as they were known on a past day (YYYY-MM-DD), newest first, in the units of that time, for backtests: a later value never replaces one that is not stored, but an earlier one may.`,
  ...FORM,
  uri: 'quantshelf://macro/{indicator}/as-of/{date}',
  complete: { indicator: completeIndicator },
  read({ indicator: name = '', date: day = '' }, { db, now, isOffline }) {
    expectPastDay(day, now());
    return db.transaction(() => {
      const series = resolveSeries(listSeries(db), 'indicator', name);
      const { seriesId } = series;
      const window = { asOf: day };
      const values = [...iterateKnown(db, seriesId, window)].slice(-MOST_KNOWN).reverse();
      const coverage = findCoverage(db, seriesId, window);
      return toJson(
        {
          ...identify(series),
          units: coverage.units ?? series.units,
          as_of: day,
          observations: values.map(({ date, value, knownFrom, exact }) => ({
            date,
            value,
            known_from: knownFrom,
            exact: exact === 1,
          })),
        },
        {
          ...withoutNulls({ asOf: series.taken }),
          ...noticeOf(
            series.observationEnd === null
              ? explainEmpty(series, isOffline)
              : describeCoverage([{ series, ...coverage }], window),
          ),
        },
      );
    })();
  },
};

const series: Resource = {
  name: 'indicator_history',
  title: 'Every observation of an indicator',
  description:
    'Every current observation of a U.S. macro indicator from one day to another (YYYY-MM-DD), as CSV: the rows of `quantshelf export macro`. Unlike in macro_indicator_history, realtime_start is the first day on which a value is certain to have been current.',
  ...FORM,
  mimeType: 'text/csv',
  uri: 'quantshelf://macro/{indicator}/history/{from}/{to}',
  complete: { indicator: completeIndicator },
  read({ indicator: name = '', from = '', to = '' }, { db, isOffline }) {
    expectDay(from, 'from');
    expectDay(to, 'to');
    if (from > to) throw invalidRequest('"from" must not be after "to".', 'from');
    const series = resolveSeries(listSeries(db), 'indicator', name);
    // CSV has no place for a notice.
    if (series.observationEnd === null) {
      throw serviceUnavailable(explainEmpty(series, isOffline).join(' '));
    }
    const { columns, rows } = exportMacro(db, { indicators: [name], since: from, until: to });
    return [columns, ...rows].map((row) => `${row.join(',')}\n`).join('');
  },
};

const DAYS_AHEAD = 30;

const calendar: Resource = {
  name: 'macro_calendar',
  title: 'Macro release calendar',
  description: `The U.S. macro releases of today and the next ${DAYS_AHEAD} days: day, release, date of the period and indicators. "exact" days were announced; the others are estimates. Daily series are left out: most come out every business day.`,
  ...FORM,
  uri: 'quantshelf://macro/calendar',
  read: (_, { db, now }) => toJson({ releases: listDue(db, now(), DAYS_AHEAD) }),
};

export const macroResources: readonly Resource[] = [indicator, asOf, series, calendar];

/** Each date with all its values, in order of publication, except roundings of the current one. */
function toObservations(vintages: readonly Vintage[], rounded: ReadonlyMap<string, Vintage>) {
  return [...groupByDate(vintages)].map(([date, values]) => {
    const same = rounded.get(date);
    const distinct = values.filter(({ rtStart }) => rtStart !== same?.rtStart);
    return {
      date,
      values: distinct.map(({ value, rtEnd, units, ...day }) => {
        const { rtStart, exact } = (rtEnd === null ? same : undefined) ?? day;
        return {
          value,
          published: rtStart,
          ...withoutNulls({ units }),
          ...(exact === 1 ? { exact: true } : {}),
        };
      }),
    };
  });
}
