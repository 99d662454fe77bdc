import { describe, expect, it } from 'vitest';
import { HttpError, InvalidResponseError } from '../../../../src/upstream/errors.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { makeWireEvent } from '../../../stand-ins/polymarket.ts';
import { startSource } from './start-polymarket.ts';

const OPEN = { closed: false };
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => makeWireEvent({ id: index + 1 }));

describe('a list', () => {
  it('is asked for page by page, without an offset, until no cursor comes', async () => {
    const { standIn, source } = await startSource(many(150));
    const first = await source.listEvents(OPEN);
    const second = await source.listEvents(OPEN, first.cursor);
    expect([first.events.length, second.events.length, second.cursor]).toEqual([100, 50, null]);
    expect(new Set([...first.events, ...second.events].map(({ id }) => id)).size).toBe(150);
    expect(standIn.requests[1]?.path).toContain('after_cursor=');
    for (const { path } of standIn.requests) expect(path).not.toMatch(/offset=|[?&]cursor=/);
  });

  it('holds what was asked for: tags, closed ones, late ends, the busiest first', async () => {
    const { standIn, source } = await startSource([
      makeWireEvent({ id: 1, tagSlugs: ['crypto'] }),
      makeWireEvent({ id: 2, closed: true }),
      makeWireEvent({ id: 3, closed: true, endDate: '2020-01-01T00:00:00Z' }),
      makeWireEvent({ id: 4, tagSlugs: ['gold', 'crypto'] }),
    ]);
    const ids = async (list: Parameters<typeof source.listEvents>[0]) =>
      (await source.listEvents(list)).events.map(({ id }) => id);
    expect(await ids({ closed: false, tag: { id: '21' }, order: 'volume' })).toEqual(['4', '1']);
    expect(await ids({ closed: false, tag: { slug: 'gold' } })).toEqual(['4']);
    expect(await ids({ closed: true, endSince: new Date('2026-01-01') })).toEqual(['2']);
    expect(standIn.requests[0]?.path).toContain('tag_id=21&related_tags=true');
  });

  it('leaves out and counts what is no event, unless that is most of the page', async () => {
    const { standIn, source } = await startSource();
    const body = (events: unknown[]) => JSON.stringify({ events });
    standIn.fault('/events', [{ kind: 'body', body: body([makeWireEvent(), { id: 'x' }]) }]);
    expect(await source.listEvents(OPEN)).toMatchObject({ unreadable: 1, events: [{ id: '100' }] });
    const bad: Fault = { kind: 'body', body: body([makeWireEvent(), null, {}]) };
    standIn.fault('/events', [bad, bad, bad]);
    await expect(source.listEvents(OPEN)).rejects.toThrow(InvalidResponseError);
  });
});

describe('one event', () => {
  it('is read by its id, and null where there is none', async () => {
    const { standIn, source } = await startSource([makeWireEvent({ id: 7 })]);
    expect(await source.getEvent('7')).toMatchObject({ id: '7' });
    expect(await source.getEvent('8')).toBeNull();
    expect(standIn.requests).toHaveLength(2);
    const other: Fault = { kind: 'body', body: JSON.stringify(makeWireEvent({ id: 9 })) };
    standIn.fault('/events/7', [other, other, other]);
    await expect(source.getEvent('7')).rejects.toThrow(InvalidResponseError);
  });

  it('is no tag: those are found by slug', async () => {
    const { source } = await startSource([makeWireEvent({ tagSlugs: ['crypto'] })]);
    expect(await source.findTag('crypto')).toBe('21');
    expect(await source.findTag('no-more')).toBeNull();
  });
});

describe('a fault', () => {
  it.each<[string, Fault]>([
    ['a web page', { kind: 'html' }],
    ['half a body', { kind: 'cut' }],
    ['a broken body', { kind: 'truncated' }],
    ['a reset', { kind: 'reset' }],
    ['a bare list', { kind: 'body', body: '[]' }],
    ['null', { kind: 'body', body: 'null' }],
    ['an error with 200', { kind: 'body', body: '{"type":"internal error"}' }],
    ['too many requests', { kind: 'status', status: 429 }],
    ['a server in trouble', { kind: 'status', status: 500 }],
  ])('passes: %s', async (_, fault) => {
    const { standIn, source } = await startSource([makeWireEvent()]);
    standIn.fault('/events', [fault, fault]);
    expect((await source.listEvents(OPEN)).events).toHaveLength(1);
    expect(standIn.faultsLeft).toBe(0);
  });

  it('that stays is told in the end', async () => {
    const { standIn, source } = await startSource();
    const html: Fault = { kind: 'html' };
    standIn.fault('/events', [html, html, html]);
    await expect(source.listEvents(OPEN)).rejects.toThrow(InvalidResponseError);
    const busy: Fault = { kind: 'status', status: 500 };
    standIn.fault('/events', [busy, busy, busy]);
    await expect(source.listEvents(OPEN)).rejects.toThrow(HttpError);
  });

  it.each([
    [422, 'Polymarket rejected the request.'],
    [404, 'Polymarket has nothing at this address.'],
  ])('of %i is a refusal in our own words, asked for once', async (status, message) => {
    const { standIn, source } = await startSource();
    standIn.fault('/events', [{ kind: 'status', status, body: 'their words' }]);
    const asked = source.listEvents(OPEN);
    await expect(asked).rejects.toMatchObject({ name: 'RejectedRequestError', message });
    expect(standIn.requests).toHaveLength(1);
  });
});
