import type { Database } from 'better-sqlite3';
import { createBeaFeeds } from '../areas/macro/agencies/text-files.ts';
import { createBlsFeed } from '../areas/macro/agencies/bls.ts';
import { createCensusFeeds } from '../areas/macro/agencies/text-files.ts';
import { createFedBoardFeeds } from '../areas/macro/agencies/fed-board.ts';
import type { AgencyName, Feed } from '../areas/macro/agencies/feed.ts';
import { createFhfaFeed } from '../areas/macro/agencies/text-files.ts';
import { createNewYorkFedFeeds } from '../areas/macro/agencies/new-york-fed.ts';
import { createTreasuryFeeds } from '../areas/macro/agencies/treasury.ts';
import type { Config } from '../config.ts';
import { isUnsent } from '../upstream/errors.ts';
import { connect, type Patience } from './clients.ts';

/** The BLS allows 25 queries a day, failed ones included. */
const BLS_PAUSE_MS = 60 * 60_000;

/** Feeds of agencies and their connections. */
export interface Agencies {
  feeds: readonly Feed[];
  isUnreachable(agency: AgencyName): boolean;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** The agencies whose answers are small enough for a call that waits. */
export function openAgencies(config: Config, db: Database, patience: Patience): Agencies {
  const bls = connect('bls', config, db, patience);
  const treasury = connect('treasury', config, db, patience);
  const newYorkFed = connect('new_york_fed', config, db, patience);
  const { paceMs } = config;
  const { blsUrl, treasuryUrl, newYorkFedUrl } = config.agencies;
  const blsFeed = createBlsFeed(bls.client, { baseUrl: blsUrl, paceMs });
  const patientBlsFeed: Feed = {
    ...blsFeed,
    async fetch(held, today, signal) {
      try {
        return await blsFeed.fetch(held, today, signal);
      } catch (error) {
        if (!signal.aborted && !isUnsent(error)) bls.rateLimiter.blockFor(BLS_PAUSE_MS);
        throw error;
      }
    },
  };
  return {
    feeds: [
      patientBlsFeed,
      ...createTreasuryFeeds(treasury.client, { baseUrl: treasuryUrl, paceMs }),
      ...createNewYorkFedFeeds(newYorkFed.client, { baseUrl: newYorkFedUrl, paceMs }),
    ],
    ...join({ bls, treasury, new_york_fed: newYorkFed }),
  };
}

/** The agencies whose files only a sync fetches. */
export function openAgencyFiles(config: Config, db: Database, patience: Patience): Agencies {
  const fedBoard = connect('fed_board', config, db, patience);
  const bea = connect('bea', config, db, patience);
  const census = connect('census', config, db, patience);
  const fhfa = connect('fhfa', config, db, patience);
  const { fedBoardUrl, beaUrl, censusUrl, fhfaUrl } = config.agencies;
  return {
    feeds: [
      ...createFedBoardFeeds(fedBoard.client, { baseUrl: fedBoardUrl }),
      ...createBeaFeeds(bea.client, { baseUrl: beaUrl }),
      ...createCensusFeeds(census.client, { baseUrl: censusUrl, now: () => new Date() }),
      createFhfaFeed(fhfa.client, { baseUrl: fhfaUrl }),
    ],
    ...join({ fed_board: fedBoard, bea, census, fhfa }),
  };
}

function join(
  connections: Partial<Record<AgencyName, ReturnType<typeof connect>>>,
): Pick<Agencies, 'isUnreachable' | 'close'> {
  return {
    isUnreachable: (agency) => connections[agency]?.reachability.isUpstreamUnreachable() === true,
    async close() {
      await Promise.all(Object.values(connections).map(({ client }) => client.close()));
    },
  };
}
