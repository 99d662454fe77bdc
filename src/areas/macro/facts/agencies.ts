import agencyFile from '../../../../data/agencies.json' with { type: 'json' };
import { rowsOfFeed } from './indicators.ts';

export const FRED_KEY_PAGE = 'https://fred.stlouisfed.org/docs/api/api_key.html';
export const MALFORMED_KEY =
  'FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits)';

/** Agencies that publish without a key; `data/agencies.json` documents the fields. */
export const AGENCIES = agencyFile.agencies;
export type AgencyName = keyof typeof AGENCIES;
export const AGENCY_NAMES = Object.keys(AGENCIES).filter(
  (name): name is AgencyName => name in AGENCIES,
);

interface FeedFacts {
  agency: string;
  released: string;
  weekdaysLater?: number;
  askAgainHours?: number;
  path?: string;
}
export const FEEDS: Readonly<Record<string, FeedFacts>> = agencyFile.feeds;
/** Release times in New York, "HH:MM", of series published later than the rest of their feed. */
export const OWN_TIMES: Readonly<Record<string, string>> = agencyFile.ownTimes;

/** Series that, without a FRED key, only a sync refreshes. */
export const SYNCED_SERIES: ReadonlySet<string> = new Set(
  AGENCY_NAMES.filter((name) => AGENCIES[name].synced)
    .flatMap(feedsOf)
    .flatMap(({ name }) => rowsOfFeed(name).map(({ series_id }) => series_id)),
);

export function feedsOf(agency: AgencyName): (FeedFacts & { name: string })[] {
  return Object.entries(FEEDS).flatMap(([name, facts]) =>
    facts.agency === agency ? [{ name, ...facts }] : [],
  );
}
