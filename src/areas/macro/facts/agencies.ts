import agencyFile from '../../../../data/agencies.json' with { type: 'json' };
import { INDICATORS } from './indicators.ts';

// Whom figures come from.

export const FRED_KEY_PAGE = 'https://fred.stlouisfed.org/docs/api/api_key.html';
/** Of a key that FRED cannot have given. */
export const MALFORMED_KEY =
  'FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits)';

/** The agencies whose figures can be had without a key; `data/agencies.json` explains the facts. */
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
  synced?: boolean;
}
export const FEEDS: Readonly<Record<string, FeedFacts>> = agencyFile.feeds;
/** Times of release, "HH:MM", of series that come later in the day than the rest of their feed. */
export const OWN_TIMES: Readonly<Record<string, string>> = agencyFile.ownTimes;

/** The series of feeds that only a sync asks for. */
export const SYNCED_SERIES: ReadonlySet<string> = new Set(
  INDICATORS.filter(({ agency }) => FEEDS[agency?.feed ?? '']?.synced === true).map(
    ({ series_id }) => series_id,
  ),
);

/** Whether only a sync asks an agency: its files are too large for a call that waits. */
export function isForSyncs(agency: AgencyName): boolean {
  return feedsOf(agency).every(({ synced }) => synced === true);
}

/** The names and facts of an agency's feeds. */
export function feedsOf(agency: AgencyName): (FeedFacts & { name: string })[] {
  return Object.entries(FEEDS).flatMap(([name, facts]) =>
    facts.agency === agency ? [{ name, ...facts }] : [],
  );
}
