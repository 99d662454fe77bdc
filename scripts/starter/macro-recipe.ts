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

const AUGUST_20 = {
  taken: '2026-08-21',
  evidence: 'the yields of 20 August, the newest held, came out the day after',
};
/** GDP comes out three times a quarter, so the newest quarter alone does not date a copy. */
const SECOND_ESTIMATE = {
  taken: '2026-05-28',
  evidence:
    'growth of 1.6 % in the first quarter is the second estimate, of that day; the first was 2.0',
};
const EIA_AUGUST = {
  taken: '2026-08-20',
  evidence:
    'the day on which the workbook of the gas price was recorded; the oil prices end with it',
};
/** Recorded later than the rest, from the agencies or from FRED. */
function fresh(name: string): string {
  return `agencies/fresh/${name}.csv`;
}

const TREASURY = ['DGS3MO', 'DGS5'];

/**
 * Left out on purpose, although a recorded file has a column or copy of that name:
 * USSTHPI of FRED-QD (deflated: 272.7 where the index of 1980:Q1 is 100), PAYEMS.csv (not
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
  DGS2: { copies: [fresh('DGS2_2026-08-20')], nullsFrom: csv('DGS2.alt'), ...AUGUST_20 },
  DGS30: { copies: [fresh('DGS30_2026-08-20')], nullsFrom: csv('DGS30.alt'), ...AUGUST_20 },
  DFII10: { copies: [fresh('DFII10_2026-08-20')], ...AUGUST_20 },
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
    copies: [fresh('CES0500000003_2026-09')],
    taken: '2026-10-02',
    evidence:
      'the Employment Situation for September 2026, the newest month held, was due that Friday',
  },
  PPIFIS: {
    copies: [fresh('PPIFIS_2026-05')],
    taken: '2026-06-15',
    evidence: 'the usual day of release of May 2026, the newest month held',
  },
  GDPC1: {
    copies: [csv('GDPC1')],
    ...SECOND_ESTIMATE,
  },
  A191RL1Q225SBEA: {
    copies: [csv('A191RL1Q225SBEA')],
    ...SECOND_ESTIMATE,
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
  STLFSI4: {
    copies: [fresh('STLFSI4_2026-05-15')],
    taken: '2026-05-21',
    evidence: 'the week of 15 May, the newest held, comes out in the week after',
  },
  DTWEXBGS: { copies: [csv('DTWEXBGS')], ...PULLED_JULY_29 },
  DEXUSEU: {
    copies: [fresh('DEXUSEU_2026-09-25')],
    nullsFrom: csv('DEXUSEU'),
    taken: '2026-09-28',
    evidence: 'the week of 25 September, the newest held, came out on the Monday after',
  },
  DEXJPUS: { copies: [csv('DEXJPUS')], ...PULLED_OCTOBER_3 },
  DCOILWTICO: {
    copies: [fresh('DCOILWTICO_eia_2026-08-18')],
    nullsFrom: csv('DCOILWTICO'),
    ...EIA_AUGUST,
  },
  DCOILBRENTEU: {
    copies: [fresh('DCOILBRENTEU_eia_2026-08-18')],
    nullsFrom: csv('DCOILBRENTEU'),
    ...EIA_AUGUST,
  },
  DHHNGSP: {
    copies: [fresh('DHHNGSP_eia_2026-08-18')],
    nullsFrom: csv('DHHNGSP'),
    ...EIA_AUGUST,
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
    copies: [fresh('PSAVERT_2026-08')],
    taken: '2026-09-30',
    evidence: 'the vintage of that day, which holds August 2026',
  },
  HSN1F: {
    copies: [fresh('HSN1F_2026-08')],
    taken: '2026-09-25',
    evidence: 'the usual day of release of August 2026, the newest month held',
  },
  USSTHPI: {
    copies: [fresh('USSTHPI_2026Q2')],
    taken: '2026-08-26',
    evidence: 'the usual day of release of the second quarter of 2026, the newest held',
  },
  WRESBAL: {
    copies: [fresh('WRESBAL_2026-08-19')],
    taken: '2026-08-20',
    evidence: 'the week of Wednesday 19 August, the newest held, came out the day after',
  },
  TOTALSL: {
    copies: [fresh('TOTALSL_2026-04')],
    taken: '2026-06-08',
    evidence: 'the usual day of release of April 2026, the newest month held',
  },
  DRCCLACBS: {
    copies: [fresh('DRCCLACBS_2026Q2')],
    taken: '2026-08-19',
    evidence: 'the usual day of release of the second quarter of 2026, the newest held',
  },
  USEPUINDXD: {
    copies: [fresh('USEPUINDXD_2025-12-31')],
    taken: '2026-01-02',
    evidence: 'the index of 31 December 2025, the newest held, came out on the next business day',
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
