import { describe, expect, it } from 'vitest';
import type { FredSource } from '../../../../src/areas/macro/fred.ts';
import { HttpError, InvalidResponseError } from '../../../../src/upstream/failures.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { TEST_KEY } from '../../../stand-ins/fred.ts';
import { FRED_ERRORS, fredError } from '../../../stand-ins/fred-answers.ts';
import { payrolls, startSource } from './start-fred.ts';

const ALL = { rtStart: '1776-07-04' };

describe('a refusal', () => {
  it.each([
    [FRED_ERRORS.keyMissing, 'bad_key'],
    [FRED_ERRORS.keyMalformed, 'bad_key'],
    [FRED_ERRORS.keyUnknown, 'bad_key'],
    [FRED_ERRORS.noSeries, 'no_series'],
    [
      'There are 2004 vintage dates in the specified real-time period: 1776-07-04 to 9999-12-31.  This exceeds the maximum number of vintage dates allowed (2000).',
      'too_many_vintages',
    ],
    [FRED_ERRORS.limit, 'bad_request'],
  ])('%s', async (message, code) => {
    const { standIn, source } = await startSource([payrolls()]);
    standIn.fault('/fred/', [{ kind: 'body', status: 400, body: fredError(message) }]);
    const asked = source.listObservations('PAYEMS', ALL);
    await expect(asked).rejects.toMatchObject({ name: 'FredRequestError', code });
    await expect(asked).rejects.not.toThrow(message);
    expect(standIn.requests).toHaveLength(1);
  });

  it('is told by the stand-in as by FRED', async () => {
    const { source } = await startSource([payrolls()], { mostVintages: 2 });
    await expect(source.describeSeries('NONE')).rejects.toMatchObject({ code: 'no_series' });
    await expect(source.listObservations('PAYEMS', ALL)).rejects.toMatchObject({
      code: 'too_many_vintages',
    });
    const tomorrow = source.listObservations('PAYEMS', { rtStart: '2026-11-22' });
    await expect(tomorrow).rejects.toMatchObject({ code: 'bad_request' });
    const stranger = await startSource([payrolls()], {}, TEST_KEY.replace('0', 'z'));
    await expect(stranger.source.describeSeries('PAYEMS')).rejects.toMatchObject({
      code: 'bad_key',
    });
  });

  it('of a locked key, and of whatever else comes with 400', async () => {
    const { standIn, source } = await startSource([payrolls()]);
    standIn.fault('/fred/', [
      { kind: 'status', status: 423, body: 'Locked' },
      { kind: 'status', status: 400, body: '<html></html>' },
    ]);
    await expect(source.describeSeries('PAYEMS')).rejects.toMatchObject({ code: 'locked' });
    await expect(source.describeSeries('PAYEMS')).rejects.toMatchObject({ code: 'bad_request' });
    expect(standIn.requests).toHaveLength(2);
  });
});

describe('a fault', () => {
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
    ['a web page', { kind: 'html' }],
    ['half a body', { kind: 'cut' }],
    ['an error with 200', { kind: 'body', body: fredError('Busy.') }],
    ['a value that is no number', page(row({ value: '1,5' }))],
    ['a day that does not exist', page(row({ date: '2026-02-30' }))],
    ['a period that ends before it begins', page(row({ realtime_end: '2026-04-02' }))],
    ['fewer rows than are counted', page([])],
    ['more rows than are counted', page([...row({}), ...row({ date: '2026-04-01' })])],
    ['periods that overlap', page([...row({}), ...row({})], { count: 2 })],
    ['too many requests', { kind: 'status', status: 429 }],
    ['a server in trouble', { kind: 'status', status: 500 }],
  ])('passes: %s', async (_, fault) => {
    const { standIn, source } = await startSource([payrolls()]);
    standIn.fault('/fred/', [fault, fault]);
    expect(await list(source)).toHaveLength(5);
    expect(standIn.faultsLeft).toBe(0);
  });

  it('that stays is told in the end', async () => {
    const { standIn, source } = await startSource([payrolls()]);
    const repeat = (fault: Fault) => standIn.fault('/fred/', [fault, fault, fault]);
    repeat({ kind: 'html' });
    await expect(list(source)).rejects.toThrow(InvalidResponseError);
    repeat({ kind: 'status', status: 429 });
    await expect(list(source)).rejects.toMatchObject({ status: 429 });
    repeat({ kind: 'status', status: 500 });
    await expect(list(source)).rejects.toThrow(HttpError);
    expect(standIn.faultsLeft).toBe(0);
    standIn.fault('/fred/', [{ kind: 'status', status: 429, retryAfter: 3_600 }]);
    await expect(list(source)).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  });

  it('of time ends with the patience of the caller', async () => {
    const { standIn, source } = await startSource([payrolls()]);
    standIn.fault('/fred/', [{ kind: 'hang' }]);
    const patience = AbortSignal.timeout(80);
    await expect(source.listObservations('PAYEMS', ALL, patience)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});
