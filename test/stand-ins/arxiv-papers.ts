import { shiftDay } from '../../src/core/time.ts';

interface StandInAuthor {
  keyname: string;
  forenames?: string;
  suffix?: string;
}

/** A paper of the stand-in for arXiv. Dates are YYYY-MM-DD. */
export interface StandInPaper {
  id: string;
  /** Day on which its record last changed. */
  datestamp: string;
  /** Whether only the header is sent, marked as deleted. */
  deleted?: boolean;
  version: number;
  /** Day of the first submission. */
  published: string;
  /** Day on which the current version was submitted. */
  updated: string;
  /** The creation date in its record, if not the day of first submission. */
  created?: string;
  /** Type of the current version: "I" if it withdraws the paper. */
  sourceType?: string;
  title: string;
  authors: StandInAuthor[];
  /** As arXiv sends it, with line breaks and indentation. */
  abstract: string;
  /** The primary category comes first. May include values that are not arXiv categories. */
  categories: string[];
  comment?: string;
  reportNo?: string;
  journalRef?: string;
  doi?: string;
  license?: string;
  /** Modifies its record and its entry before they are sent. */
  damage?: (xml: string) => string;
  /** The HTML page; null if arXiv has none; generated from the paper if undefined. */
  html?: string | null;
  /** ar5iv's page, in the same way. */
  ar5iv?: string | null;
  /** The PDF file; null if arXiv has none, as for a withdrawn paper; generated if undefined. */
  pdf?: Buffer | null;
}

export const LICENSES = {
  by: 'http://creativecommons.org/licenses/by/4.0/',
  arxiv: 'http://arxiv.org/licenses/nonexclusive-distrib/1.0/',
};

const SUBJECTS = [
  'Order books after a tick size change',
  'Hedging long-dated swaptions with few instruments',
  'Funding liquidity and the price of small stocks',
  'Credit ratings that follow the cycle',
  'A risk measure for portfolios of weather derivatives',
  'Inventory control of a market maker in two venues',
  'Momentum in sovereign bond futures',
  'Calibration of rough volatility by least squares',
];
const CATEGORIES = ['q-fin.TR', 'q-fin.PR', 'q-fin.PM', 'q-fin.RM', 'q-fin.ST', 'q-fin.MF'];
const NAMES = [
  { keyname: 'Okafor', forenames: 'Ngozi' },
  { keyname: 'Lindqvist', forenames: 'Åsa M.' },
  { keyname: 'Whitfield', forenames: 'James', suffix: 'Jr' },
  { keyname: 'Tidewater Collaboration' },
];

/** Fictional papers of quantitative finance, the same in every run, with datestamps from 1 May 2026 on. */
export function makePapers(count: number): StandInPaper[] {
  return Array.from({ length: count }, (_, index) => makePaper({}, index));
}

/** One fictional paper, with the fields that a test sets. */
export function makePaper(more: Partial<StandInPaper> = {}, index = 0): StandInPaper {
  const day = shiftDay('2026-05-01', Math.floor(index / 3));
  const subject = pick(SUBJECTS, index);
  return {
    id: `2609.${String(index + 1).padStart(5, '0')}`,
    datestamp: day,
    version: 1,
    published: day,
    updated: day,
    title: `${subject}, study ${index + 1}`,
    authors: [pick(NAMES, index), pick(NAMES, index + 1)],
    abstract: `  We look at ${subject.toLowerCase()} in sample ${index + 1}. Costs fall by $x_{${index}} < 5\\%$\nwhere traders & dealers meet twice a day.\n  A second paragraph says what limits the result.\n`,
    categories: [pick(CATEGORIES, index), 'stat.ML'],
    license: index % 2 === 0 ? LICENSES.by : LICENSES.arxiv,
    ...more,
  };
}

/** The changes to a paper whose authors withdraw it: a new version without a text. */
export function withdrawalOf({ version }: StandInPaper, day: string): Partial<StandInPaper> {
  const comment = 'This paper has been withdrawn by the authors for an error in a proof.';
  return {
    version: version + 1,
    updated: day,
    datestamp: day,
    comment,
    html: null,
    ar5iv: null,
    pdf: null,
  };
}

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
