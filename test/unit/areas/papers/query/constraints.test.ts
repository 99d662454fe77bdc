import { describe, expect, it } from 'vitest';
import {
  type Constraints,
  readConstraints,
} from '../../../../../src/areas/papers/query/constraints.ts';
import { spellFields } from '../../../../../src/areas/papers/query/fields.ts';

const HELD = new Set([
  'rama cont',
  'cont',
  'tankov',
  'peter tankov',
  'rosenbaum',
  'j. p. bouchaud',
]);
const CALENDAR = {
  now: new Date('2026-11-21T12:00:00Z'),
  sinceShare: (share: number) => `2026-0${share * 8}-01`,
};
const read = (question: string) =>
  readConstraints(question, (name) => HELD.has(name.toLowerCase()), CALENDAR);

/** What was read, in short: categories, dates, authors, each with "!" where it says "only". */
function inShort({ categories, dates, authors }: Constraints): string {
  const mark = (one: { isOnly: boolean } | null) => (one?.isOnly === true ? '!' : '');
  return [
    categories && `${categories.value.join('/')}${mark(categories)}`,
    dates && `${dates.value.from ?? ''}..${dates.value.to ?? ''}${mark(dates)}`,
    authors && `${authors.value.names.join(authors.value.isAny ? ' or ' : ' + ')}${mark(authors)}`,
  ]
    .filter((part) => part !== null)
    .join(' | ');
}

describe('a question of papers', () => {
  it.each([
    ['deep hedging since 2024', '2024-01-01..', 'deep hedging'],
    ['deep hedging papers from 2021 to 2023', '2021-01-01..2023-12-31', 'deep hedging papers'],
    ['limit order books before 2015', '..2014-12-31', 'limit order books'],
    ['a survey (published in 2022) of hedging', '2022-01-01..2022-12-31', 'a survey of hedging'],
    ['2024 papers on hedging', '2024-01-01..2024-12-31', 'papers on hedging'],
    ['hedging, papers (2023–2025)', '2023-01-01..2025-12-31', 'hedging, papers'],
    ['hedging after 2019', '2020-01-01..', 'hedging'],
    ['hedging, no older than March 2025', '2025-03-01..', 'hedging'],
    ['papers until February 2024 on hedging', '..2024-02-29', 'papers on hedging'],
    ['stablecoins from 2025-06 onwards', '2025-06-01..', 'stablecoins'],
    ['stablecoins (2025 only)', '2025-01-01..2025-12-31!', 'stablecoins'],
    ['q-fin.MF papers on rough volatility', 'q-fin.MF', 'papers on rough volatility'],
    ['in the category Q-FIN.tr, market making', 'q-fin.TR', 'market making'],
    ['cs.LG and q-fin.ST: time series', 'cs.LG/q-fin.ST', 'time series'],
    ['quantum portfolios, in quant-ph', 'quant-ph', 'quantum portfolios'],
    ['only Hep-Th: path integrals', 'hep-th!', 'path integrals'],
    ['wealth exchange, physics.soc-ph only', 'physics.soc-ph!', 'wealth exchange'],
    ['cond-mat.stat-mech papers on crashes', 'cond-mat.stat-mech', 'papers on crashes'],
    ['order flow by Rama Cont', 'Rama Cont', 'order flow'],
    ['papers from Rama Cont on jumps', 'Rama Cont', 'papers on jumps'],
    ['papers by Cont and Tankov on jumps', 'Cont + Tankov', 'papers on jumps'],
    ['papers on jumps by Cont or Tankov', 'Cont or Tankov', 'papers on jumps'],
    [
      'papers by rama cont and peter tankov about jumps',
      'rama cont + peter tankov',
      'papers about jumps',
    ],
    ["Rama Cont's work on jumps", 'Rama Cont', 'work on jumps'],
    ["Cont and Tankov's work on jumps", 'Cont + Tankov', 'work on jumps'],
    ['author: Rama Cont "order flow"', 'Rama Cont', '"order flow"'],
    ['Cont et al. on jumps', 'Cont', 'on jumps'],
    ['author: J. P. Bouchaud, jumps', 'J. P. Bouchaud', 'jumps'],
    ['papers by Nobody Known on jumps', 'Nobody Known', 'papers on jumps'],
    ['jumps, papers by Nobody Unknown', 'Nobody Unknown', 'jumps, papers'],
    ['a jump model written by Nobody Unknown', 'Nobody Unknown', 'a jump model'],
    ['papers on jumps by Rama Cont in markets', 'Rama Cont', 'papers on jumps in markets'],
    [
      'papers since 2024 by Nobody Unknown on jumps',
      '2024-01-01.. | Nobody Unknown',
      'papers on jumps',
    ],
    ['rough volatility, only q-fin.PR', 'q-fin.PR!', 'rough volatility'],
    [
      'only papers by Rosenbaum since 2025 on rough volatility',
      '2025-01-01..! | Rosenbaum!',
      'on rough volatility',
    ],
    [
      'only q-fin.PR, published in 2022: rough volatility',
      'q-fin.PR! | 2022-01-01..2022-12-31!',
      'rough volatility',
    ],
    [
      'rough volatility by Rosenbaum only, since 2024',
      '2024-01-01.. | Rosenbaum!',
      'rough volatility',
    ],
    [
      'only papers since 2025-04 and before 2025-09: market impact',
      '2025-04-01..2025-08-31!',
      'market impact',
    ],
    [
      'only papers before 2025-09 and since 2025-04: market impact',
      '2025-04-01..2025-08-31!',
      'market impact',
    ],
    ['market impact after 2019 but not later than 2022', '2020-01-01..2022-12-31', 'market impact'],
    ['market impact since 2020 and later', '2020-01-01..', 'market impact'],
    ['market impact since 2020 until 2022', '2020-01-01..2022-12-31', 'market impact'],
    ['papers since 2024', '2024-01-01..', ''],
    ['Hello, could you find papers by Rama Cont please?', 'Rama Cont', ''],
    ['q-fin.PR 2024', 'q-fin.PR | 2024-01-01..2024-12-31', ''],
    ['since 2020 articles on market impact', '2020-01-01..', 'articles on market impact'],
    ['since 2020 works on market impact', '2020-01-01..', 'works on market impact'],
    ['deep hedging since 2026-05-12', '2026-05-12..', 'deep hedging'],
    ['papers from this year on deep hedging', '2026-01-01..2026-12-31', 'papers on deep hedging'],
    ["this year's papers on deep hedging", '2026-01-01..2026-12-31', 'papers on deep hedging'],
    ['deep hedging this year', '2026-01-01..2026-12-31', 'deep hedging'],
    [
      'what was published last year on deep hedging?',
      '2025-01-01..2025-12-31',
      'what was on deep hedging?',
    ],
    ['deep hedging since last year', '2025-01-01..', 'deep hedging'],
    ['papers last month on deep hedging', '2026-10-01..2026-10-31', 'papers on deep hedging'],
    ['papers in the last six months on deep hedging', '2026-05-22..', 'papers on deep hedging'],
    ['papers published over the past 2 years about jumps', '2024-11-21..', 'papers about jumps'],
    ['deep hedging, in the last year', '2025-11-21..', 'deep hedging'],
    ['deep hedging, only papers from the past few weeks', '2026-10-31..!', 'deep hedging'],
    ['the latest papers on deep hedging', '2026-02-01..', 'papers on deep hedging'],
    ['most recent deep hedging research', '2026-02-01..', 'deep hedging research'],
    ['deep hedging, newest first', '2026-02-01..', 'deep hedging'],
    ['only the newest papers on deep hedging', '2026-02-01..!', 'papers on deep hedging'],
  ])('%s', (question, expected, rest) => {
    const constraints = read(question);
    expect(constraints && inShort(constraints)).toBe(expected);
    expect(constraints?.rest).toBe(rest);
  });

  it.each([
    'Financial crisis of 2008',
    'why has inflation risen since 2021?',
    'volatility since the 2008 crisis',
    'returns of US equities from 1965 to 1982',
    'hedging by Monte Carlo simulation',
    'pricing by Fourier methods',
    'papers on option pricing by Monte Carlo',
    'studies of bitcoin price manipulation by Tether',
    'research on equity purchases by Japan',
    'recent papers on hedging by Deep Learning',
    'published evidence on flows by Monte Carlo or Fourier',
    'papers on market impact before 2020 and after',
    'papers on market impact before and after 2008',
    'papers on market impact before 2015 and after 2020',
    'papers on market impact before 2020 or after 2015',
    'trading futures by Sharpe: LSTM or trees?',
    'market impact, not by Rama Cont',
    'hedging, excluding q-fin.PR',
    'bond purchases by the Federal Reserve',
    'S&P 500 in 2022',
    'the q-fin archive',
    "last year's crash",
    'why did inflation fall last year?',
    'stocks that rose over the past 12 months',
    'returns over the last year predict returns over the next month',
    'I joined a bank last year. Please find papers on hedging.',
    'the latest Fed meeting and bonds',
    'do the latest rules for banks work',
    'winners over last year',
    'is liquidity lower than last year',
    'recent papers on hedging',
  ])('that asks for nothing of this: %s', (question) => {
    expect(read(question)).toBeNull();
  });

  it.each([
    ['author:cont year:2020', '2020-01-01..2020-12-31 | Cont', ''],
    ['au:rama_cont AND ti:jumps', 'Rama Cont', 'AND ti:jumps'],
    ['author:"rama cont" jumps', 'Rama Cont', 'jumps'],
    ['published:[2024 TO 2026] jumps', '2024-01-01..2026-12-31', 'jumps'],
    ['jumps since:2025-06', '2025-06-01..', 'jumps'],
  ])('in the fields of a search engine: %s', (question, expected, rest) => {
    const constraints = read(spellFields(question));
    expect(constraints && inShort(constraints)).toBe(expected);
    expect(constraints?.rest).toBe(rest);
  });

  it('of many authors asks for each of the first once', () => {
    const asked: string[] = [];
    const isHeld = (name: string) => asked.push(name) < 0;
    const list = (names: readonly string[]) =>
      readConstraints(`papers by ${names.join(', ')}`, isHeld, CALENDAR)?.authors?.value.names;
    expect(list(Array(400).fill('Li'))).toEqual(['Li']);
    const letters = [...'abcdefghijklmnop'].map((letter) => `Li${letter}`);
    expect(list(letters)).toEqual(letters.slice(0, 8));
  });
});
