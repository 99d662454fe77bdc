import { easternDay } from './calendar.ts';
import type { AgencyName } from './feed.ts';

interface Credit {
  /** As it stands in `source` of the catalogue, where it is the source itself. */
  name: string;
  /** What follows the name and the day of access. */
  terms: string;
}

/** What each agency asks to be shown; from its terms of use. */
const CREDITS: Readonly<Record<AgencyName, Credit>> = {
  bls: {
    name: 'U.S. Bureau of Labor Statistics',
    terms:
      '. BLS.gov cannot vouch for the data or analyses derived from these data after the data have been ' +
      'retrieved from BLS.gov.',
  },
  treasury: { name: 'U.S. Department of the Treasury, par yield curve rates', terms: '.' },
  new_york_fed: {
    name: 'Federal Reserve Bank of New York',
    terms: ', subject to the Terms of Use posted at newyorkfed.org.',
  },
  fed_board: { name: 'Board of Governors of the Federal Reserve System (US)', terms: '.' },
  bea: { name: 'U.S. Bureau of Economic Analysis', terms: '.' },
  census: { name: 'U.S. Census Bureau', terms: '.' },
  fhfa: {
    name: 'U.S. Federal Housing Finance Agency',
    terms: '. This product uses FHFA Data but is neither endorsed nor certified by FHFA.',
  },
};

/** The source notice for figures of an agency; `taken` is when it was asked, ISO 8601. */
export function creditAgency(agency: AgencyName, taken: string): { name: string; notice: string } {
  const { name, terms } = CREDITS[agency];
  return { name, notice: `${name}, accessed ${easternDay(new Date(taken))}${terms}` };
}
