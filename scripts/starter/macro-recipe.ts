import { PULLS } from './macro-copies.ts';

/** How the bundled figures of one series come out of the recorded copies. */
export interface Recipe {
  /** The newest copy first; each further one only supplies the dates before the one before it. */
  copies: readonly string[];
  /** A copy that knows missing values which the newest copy leaves out. */
  nullsFrom?: string;
  /** Day on which the newest figures were taken, and how that is known. */
  taken: string;
  evidence: string;
}

const MD_2026 = 'fred-md/fred-md-2026-01.csv';

function csv(name: string): string {
  return `series/${name}.csv`;
}

const LAST_PULL = { taken: '2026-08-21', evidence: 'the last day of the daily pulls' };
// Copies with one style of header came out of one pull. It is dated by the newest thing in it:
// nothing that this set of series published up to that day is absent.
const PULLED_JULY_29 = {
  taken: '2026-07-29',
  evidence: 'the newest figures of the copies of that pull (repurchases of the same day)',
};
const PULLED_JULY_23 = {
  taken: '2026-07-23',
  evidence: 'the newest figures of the copies of that pull (spreads of the same day)',
};
const PULLED_JUNE_5 = {
  taken: '2026-06-05',
  evidence: 'the copies of that pull hold the payrolls of May, which came out that day',
};
const PULLED_YEAR_END = {
  taken: '2025-12-31',
  evidence: 'the copies of that pull hold a weekly rate that came out that day',
};
const PULLED_OCTOBER_3 = {
  taken: '2025-10-03',
  evidence: 'the newest figures of the copies of that pull (breakeven rates of the same day)',
};

const TREASURY = ['DGS3MO', 'DGS2', 'DGS5', 'DGS30'];

/**
 * Left out on purpose, although a recorded file has a column or copy of that name:
 * USSTHPI (the column is deflated: 272.7 where the index of 1980:Q1 is 100), PAYEMS.csv (not
 * seasonally adjusted), columns whose name ends in x (spliced), quarterly means of monthly series.
 * M2SL before 1995 and NFCI before 2000 exist only in copies of another revision.
 */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  CPIAUCSL: { copies: [PULLS], nullsFrom: csv('CPIAUCSL.alt'), ...LAST_PULL },
  CPILFESL: { copies: [csv('CPILFESL'), csv('CPILFESL.jonsflow')], ...PULLED_JULY_29 },
  PCEPI: { copies: [csv('PCEPI'), MD_2026], ...PULLED_JULY_29 },
  PCEPILFE: { copies: [PULLS], ...LAST_PULL },
  FEDFUNDS: { copies: [PULLS], ...LAST_PULL },
  DFF: { copies: [csv('DFF')], ...PULLED_JULY_23 },
  SOFR: { copies: [csv('SOFR')], ...PULLED_JULY_23 },
  ...Object.fromEntries(
    TREASURY.map((id) => [
      id,
      { copies: [csv(id)], nullsFrom: csv(`${id}.alt`), ...PULLED_JULY_23 },
    ]),
  ),
  DGS10: { copies: [PULLS], nullsFrom: csv('DGS10.alt'), ...LAST_PULL },
  T10Y2Y: { copies: [csv('T10Y2Y')], nullsFrom: csv('T10Y2Y.alt'), ...PULLED_JULY_23 },
  T10Y3M: { copies: [csv('T10Y3M.alt'), csv('T10Y3M')], ...PULLED_JULY_29 },
  UNRATE: { copies: [PULLS], nullsFrom: csv('UNRATE.alt'), ...LAST_PULL },
  PAYEMS: { copies: [PULLS], ...LAST_PULL },
  ICSA: {
    copies: [csv('ICSA'), csv('ICSA.jonsflow')],
    taken: '2026-07-09',
    evidence: 'the week of 4 July, the newest held, came out on that Thursday',
  },
  JTSJOL: { copies: [csv('JTSJOL.jonsflow')], ...PULLED_JUNE_5 },
  CIVPART: { copies: [csv('CIVPART')], ...PULLED_YEAR_END },
  CES0500000003: {
    copies: [csv('CES0500000003')],
    taken: '2020-06-18',
    evidence: 'the day that stands in every row of the copy',
  },
  GDPC1: {
    copies: [csv('GDPC1')],
    taken: '2026-04-30',
    evidence: 'the quarter of January, the newest held, came out at the end of April',
  },
  A191RL1Q225SBEA: {
    copies: [csv('A191RL1Q225SBEA')],
    taken: '2026-04-30',
    evidence: 'the quarter of January, the newest held, came out at the end of April',
  },
  INDPRO: { copies: [PULLS], ...LAST_PULL },
  HOUST: {
    copies: [MD_2026],
    taken: '2026-02-24',
    evidence: 'the same file holds the money stock of January, which came out that day',
  },
  PERMIT: { copies: [csv('PERMIT'), MD_2026], ...PULLED_JULY_29 },
  M2SL: { copies: [csv('M2SL')], ...PULLED_JULY_29 },
  WALCL: {
    copies: [csv('WALCL')],
    taken: '2026-07-16',
    evidence: 'the level of Wednesday 15 July, the newest held, came out the day after',
  },
  RRPONTSYD: {
    copies: [csv('RRPONTSYD'), csv('RRPONTSYD.alt')],
    nullsFrom: csv('RRPONTSYD.alt'),
    ...PULLED_JULY_29,
  },
  NFCI: {
    copies: [csv('NFCI')],
    taken: '2026-07-15',
    evidence: 'the week of 10 July, the newest held, came out on the Wednesday after',
  },
  STLFSI4: { copies: [csv('STLFSI4')], ...PULLED_YEAR_END },
  DTWEXBGS: { copies: [csv('DTWEXBGS')], ...PULLED_JULY_29 },
  DEXUSEU: { copies: [csv('DEXUSEU')], ...PULLED_OCTOBER_3 },
  DEXJPUS: { copies: [csv('DEXJPUS')], ...PULLED_OCTOBER_3 },
  DCOILWTICO: { copies: [csv('DCOILWTICO')], ...PULLED_YEAR_END },
  DCOILBRENTEU: { copies: [csv('DCOILBRENTEU')], ...PULLED_YEAR_END },
  DHHNGSP: {
    copies: [csv('DHHNGSP')],
    taken: '2018-04-04',
    evidence: 'the newest figures of the copies of that pull (breakeven rates of the same day)',
  },
  T5YIE: { copies: [csv('T5YIE')], nullsFrom: csv('T5YIE.alt'), ...PULLED_JULY_23 },
  T10YIE: { copies: [csv('T10YIE')], nullsFrom: csv('T10YIE.alt'), ...PULLED_JULY_29 },
  T5YIFR: { copies: [csv('T5YIFR')], ...PULLED_JULY_29 },
  PCEC96: {
    copies: [csv('PCEC96')],
    taken: '2026-06-25',
    evidence: 'the figures of May, the newest held, came out that day (daily pulls of PCEPILFE)',
  },
  RSAFS: { copies: [csv('RSAFS.jonsflow')], ...PULLED_JUNE_5 },
  PSAVERT: {
    copies: [csv('PSAVERT')],
    taken: '2025-03-28',
    evidence: 'the figures of February 2025, the newest held, came out that day',
  },
};

/** Weekdays without a pull on which the agencies were closed, so that nothing was missed. */
export const CLOSED_DAYS: readonly string[] = ['2026-05-25', '2026-06-19', '2026-07-03'];

/**
 * Values first seen after a weekday without a pull whose day is known from the release calendar:
 * the Employment Situation for July 2026 was due on Friday 7 August.
 */
export const KNOWN_RELEASES: Readonly<Record<string, string>> = {
  PAYEMS: '2026-08-07',
  UNRATE: '2026-08-07',
};
