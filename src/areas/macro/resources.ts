import { known, noticeOf } from '../../core/envelope.ts';
import { type Resource, toJson } from '../../core/resource.ts';
import { findCoverage, listKnown } from './as-of-queries.ts';
import { completeIndicator, resolveSeries } from './catalogue.ts';
import { expectPastDay, indicatorUri, toItem } from './item.ts';
import {
  attributionOf,
  describeCoverage,
  describeEmpty,
  describeStored,
  isEnded,
  isStale,
} from './notices.ts';
import {
  listSeries,
  listVintages,
  type SeriesRow,
  summariseMacro,
  type VintageRow,
} from './queries.ts';
import { groupByDate } from './vintages.ts';

/** Observations whose revisions a resource holds. */
const OBSERVATIONS = 24;
/** Observations of a past day. */
const MOST_KNOWN = 200;
const FORM = { area: 'macro', mimeType: 'application/json', ttlMs: 5 * 60_000 } as const;

const indicator: Resource = {
  name: 'indicator',
  title: 'Indicator and its revisions',
  description: `Catalogue entry of a U.S. macro indicator, and every value known to have been published for each of its last ${OBSERVATIONS} observations, with its publication day.`,
  ...FORM,
  uri: 'quantshelf://indicator/{alias}',
  complete: { alias: completeIndicator },
  list: ({ db }) =>
    listSeries(db).map((series) => ({
      uri: indicatorUri(series.indicator),
      name: series.indicator,
      title: series.title,
    })),
  read({ alias = '' }, { db, now }) {
    return db.transaction(() => {
      const series = resolveSeries(listSeries(db), 'indicator', alias);
      const vintages = listVintages(db, series.seriesId, OBSERVATIONS);
      return toJson(
        { ...toItem(series), ...stateOf(series, now()), observations: toObservations(vintages) },
        {
          ...known({ asOf: series.taken }),
          ...noticeOf(describeStored(series, vintages, now())),
        },
      );
    })();
  },
};

const asOf: Resource = {
  name: 'indicator_as_of',
  title: 'Indicator as known on a day',
  description: `The last ${MOST_KNOWN} observations of a U.S. macro indicator as they were known on a past day (YYYY-MM-DD), for backtests: never a later value in place of one that is not stored.`,
  ...FORM,
  uri: 'quantshelf://macro/{indicator}/as-of/{date}',
  complete: { indicator: completeIndicator },
  read({ indicator: name = '', date: day = '' }, { db, now }) {
    expectPastDay(day, now());
    return db.transaction(() => {
      const series = resolveSeries(listSeries(db), 'indicator', name);
      const { seriesId } = series;
      const observations = listKnown(db, seriesId, { asOf: day, limit: MOST_KNOWN });
      const coverage = findCoverage(db, seriesId, { asOf: day, strict: false });
      return toJson(
        {
          indicator: series.indicator,
          series_id: seriesId,
          title: series.title,
          frequency: series.frequency,
          units: series.units,
          attribution: attributionOf(series),
          as_of: day,
          observations: observations.map(({ date, value, knownFrom, exact }) => ({
            ...{ date, value, known_from: knownFrom, exact: exact === 1 },
          })),
        },
        {
          ...known({ asOf: series.taken }),
          ...noticeOf([
            describeEmpty([series]),
            ...describeCoverage([{ series, ...coverage }], day),
          ]),
        },
      );
    })();
  },
};

const indicators: Resource = {
  name: 'indicators',
  title: 'Indicators and their newest dates',
  description:
    'All U.S. macro indicators in the catalogue, each with its newest stored period and the time when that was fetched.',
  ...FORM,
  uri: 'quantshelf://indicators',
  read: (_, { db, now }) =>
    toJson(listSeries(db).map(toEntry), {
      asOf: summariseMacro(db).asOf ?? now().toISOString(),
    }),
};

export const macroResources: readonly Resource[] = [indicators, indicator, asOf];

function toEntry(series: SeriesRow) {
  const { observationEnd, taken } = series;
  return {
    indicator: series.indicator,
    series_id: series.seriesId,
    title: series.title,
    category: series.category,
    frequency: series.frequency,
    ...known({ observation_end: observationEnd, taken }),
    uri: indicatorUri(series.indicator),
  };
}

function stateOf(series: SeriesRow, now: Date) {
  return {
    // Reading fetches nothing, so old figures are as stale as those of a tool that is offline.
    stale: isStale(series, 'offline', now),
    ...(isEnded(series, now) ? { ended: true } : {}),
  };
}

/** Each date with its values in the order of their publication; the last one is current. */
function toObservations(vintages: readonly VintageRow[]) {
  return [...groupByDate(vintages)].map(([date, values]) => ({
    date,
    values: values.map(({ value, published, exact }) => ({
      value,
      published,
      ...(exact === 1 ? { exact: true } : {}),
    })),
  }));
}
