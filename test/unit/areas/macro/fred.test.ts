import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createFredSource,
  FredRequestError,
  type FredSource,
  readFredKey,
} from '../../../../src/areas/macro/sources/fred.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { TEST_KEY } from '../../../stand-ins/fred.ts';
import { shift } from '../../../stand-ins/fred-history.ts';
import { FRED_ERRORS, fredError } from '../../../stand-ins/fred-responses.ts';
import { payrolls, startSource } from './start-fred.ts';

const ALL = { rtStart: '1776-07-04' };

it('the FRED source lists every value with its real-time period', async () => {
  const { standIn, source } = await startSource([payrolls()]);
  const window = { rtStart: '2026-05-10', rtEnd: '2026-06-06' };
  expect(await source.listObservations('PAYEMS', window)).toEqual([
    { date: '2026-03-01', value: 158621, rtStart: '2026-05-10', rtEnd: '2026-06-04' },
    { date: '2026-03-01', value: 158650, rtStart: '2026-06-05', rtEnd: '2026-06-06' },
    { date: '2026-04-01', value: null, rtStart: '2026-05-10', rtEnd: '2026-06-04' },
    { date: '2026-04-01', value: 158829, rtStart: '2026-06-05', rtEnd: '2026-06-06' },
  ]);
  const period = { realtime_start: '2026-05-10', realtime_end: '2026-06-06' };
  const query = { series_id: 'PAYEMS', sort_order: 'asc', ...period };
  expect(standIn.queriesOf('series/observations')).toEqual([expect.objectContaining(query)]);
});

it('the FRED source rejects a list with an implausible row count', async () => {
  const { standIn, source } = await startSource([payrolls()]);
  const body = (more: object) => JSON.stringify({ count: 1e9, offset: 0, ...more });
  const rows = Array.from({ length: 100_000 }, (_, at) => ({
    realtime_start: '2026-01-01',
    realtime_end: '9999-12-31',
    value: '1',
    date: shift('1750-01-01', at),
  }));
  standIn.fault('/fred/', [{ kind: 'body', body: body({ observations: rows }) }]);
  await expect(source.listObservations('PAYEMS', ALL)).rejects.toThrow('implausible row count');
  expect(standIn.requests).toHaveLength(1);
});

describe('the FRED key', () => {
  it('is trimmed, and is never quoted when it is refused', () => {
    expect(readFredKey(` ${TEST_KEY}\n`)).toBe(TEST_KEY);
    for (const key of ['', 'short', TEST_KEY.toUpperCase(), `${TEST_KEY}x`, `${TEST_KEY}-`]) {
      const read = () => readFredKey(key);
      expect(read).toThrow(FredRequestError);
      expect(read).toThrow(/32 lower-case letters or digits/);
      expect(read).not.toThrow(key === '' ? /""/ : key);
    }
  });

  it('appears in the query, and in no header, log or error', async () => {
    const faults: Fault[][] = [
      [{ kind: 'reset' }, { kind: 'reset' }, { kind: 'reset' }],
      [{ kind: 'truncated' }, { kind: 'truncated' }, { kind: 'truncated' }],
      [{ kind: 'html' }, { kind: 'html' }, { kind: 'html' }],
      [{ kind: 'body', status: 400, body: fredError(`The key ${TEST_KEY}`) }],
      [{ kind: 'status', status: 423, body: TEST_KEY }],
      [{ kind: 'status', status: 404, body: TEST_KEY }],
    ];
    const { standIn, source, said } = await startSource([payrolls()]);
    for (const queue of faults) {
      standIn.fault('/fred/', queue);
      const error: unknown = await source.describeSeries('PAYEMS').catch((reason) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(TEST_KEY);
    }
    expect(said.join()).not.toContain(TEST_KEY);
    for (const { path, headers } of standIn.requests) {
      expect(new URL(path, standIn.url).searchParams.get('api_key')).toBe(TEST_KEY);
      expect(JSON.stringify(headers)).not.toContain(TEST_KEY);
    }
    const get = () => Promise.reject(new Error('no'));
    const options = { baseUrl: 'not a url', apiKey: TEST_KEY };
    expect(() => createFredSource({ get }, options)).toThrow(/^the FRED base URL/);
  });
});

describe('a refusal by FRED', () => {
  const TOO_MANY =
    'There are 2004 vintage dates in the specified real-time period: 1776-07-04 to 9999-12-31.  This exceeds the maximum number of vintage dates allowed (2000).';
  const refused = (message: string) =>
    ({ kind: 'body', status: 400, body: fredError(message) }) as const;

  it.each<[string, string, Fault]>([
    ['an unknown key', 'bad_key', refused(FRED_ERRORS.keyUnknown)],
    ['an unknown series', 'no_series', refused(FRED_ERRORS.noSeries)],
    ['too many vintages', 'too_many_vintages', refused(TOO_MANY)],
    ['a request for any other reason', 'bad_request', refused(FRED_ERRORS.limit)],
    [
      'a request, as a web page with status 400,',
      'bad_request',
      { kind: 'status', status: 400, body: '<html></html>' },
    ],
    ['a locked key', 'locked', { kind: 'status', status: 423, body: 'Locked' }],
  ])(
    "of %s is reported as %s in QuantShelf's own words, and not retried",
    async (_, code, fault) => {
      const { standIn, source } = await startSource([payrolls()]);
      standIn.fault('/fred/', [fault]);
      await expect(source.listObservations('PAYEMS', ALL)).rejects.toMatchObject({
        name: 'FredRequestError',
        code,
        message: expect.stringMatching(/^FRED /),
      });
      expect(standIn.requests).toHaveLength(1);
    },
  );
});

describe('a response from FRED', () => {
  const list = (source: FredSource) => source.listObservations('PAYEMS', ALL);
  const page = (rows: unknown, more: object = {}) => ({
    kind: 'body' as const,
    body: JSON.stringify({ count: 1, offset: 0, observations: rows, ...more }),
  });
  const row = (more: object) => [
    {
      realtime_start: '2026-04-03',
      realtime_end: '9999-12-31',
      date: '2026-03-01',
      value: '1',
      ...more,
    },
  ];

  it.each<[string, Fault]>([
    ['is a web page', { kind: 'html' }],
    ['is an error with status 200', { kind: 'body', body: fredError('Busy.') }],
    ['has a value that is not a number', page(row({ value: '1,5' }))],
    ['has a day that does not exist', page(row({ date: '2026-02-30' }))],
    ['has a period that ends before it begins', page(row({ realtime_end: '2026-04-02' }))],
    ['has fewer rows than it counts', page([])],
    ['has more rows than it counts', page([...row({}), ...row({ date: '2026-04-01' })])],
    ['has periods that overlap', page([...row({}), ...row({})], { count: 2 })],
  ])('leads to a retry if it %s', async (_, fault) => {
    const { standIn, source } = await startSource([payrolls()]);
    standIn.fault('/fred/', [fault, fault]);
    expect(await list(source)).toHaveLength(5);
    expect(standIn.faultsLeft).toBe(0);
  });
});
