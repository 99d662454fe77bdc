import { beforeEach, describe, expect, it } from 'vitest';
import { insertEvents } from '../../../../scripts/starter/events.ts';
import { axis } from '../../../vectors.ts';
import { db, putTitled, search, useFreshShelves } from './fresh-shelf.ts';
import { delivery, event, market, put } from './shelf.ts';

useFreshShelves();

describe('search', () => {
  it('finds the event within the filters, however many outside match better', async () => {
    // More good matches outside the filters than the ranking considers.
    const crowd = Array.from({ length: 150 }, (_, index) =>
      event({ id: String(index + 1), title: 'Fed rate cut', tags: ['fed'], status: 'closed' }),
    );
    const target = event({
      id: '999',
      title: 'A cut in rates is one of many things named here',
      tags: ['crypto'],
      end_time: '2026-12-01T00:00:00.000Z',
    });
    insertEvents(db, [
      ...crowd.map((facts) => ({ ...delivery(facts), vector: axis(0) })),
      { ...delivery(target), vector: axis(1) },
    ]);
    const window = { start_time: '2026-11-30', end_time: '2026-12-02' };
    for (const filters of [{ status: 'active' }, { tag: 'crypto' }, window]) {
      for (const more of [{}, { embedQuery: async () => ({ vector: axis(0) }) }]) {
        const { data } = await search({ query: 'fed rate cut', ...filters }, more);
        expect(data.events.map(({ title }) => title)).toEqual([target.title]);
      }
    }
  });

  describe('for a named event', () => {
    const [GOLD, SILVER] = ['Gold above 3,000?', 'Silver above 60 by June?'];
    beforeEach(() => {
      const old = { status: 'closed' as const, closed_time: '2026-01-01T00:00:00.000Z' };
      put(db, [
        event({ id: '1', title: GOLD }),
        event({ id: '2', title: SILVER, slug: 'silver-above-60' }),
        event({ id: '3', title: 'Gold long ago', ...old }),
      ]);
    });

    it.each([
      ['https://polymarket.com/event/silver-above-60?tid=1', []],
      ['What are the odds of polymarket.com/event/silver-above-60, please?', []],
      ['odds of pme_2?', []],
      ['pme_2 and gold', [GOLD]],
    ])(
      'answers "%s" with the named event first, followed by the events %j',
      async (query, next) => {
        const { data, meta } = await search({ query });
        expect(data.events[0]).toMatchObject({ title: SILVER, semantic_score: 1 });
        expect(data.events.slice(1).map(({ title }) => title)).toEqual(next);
        expect(meta).toMatchObject({ verdict: 'strong', understood: ['id: pme_2'] });
        expect(meta.notice).not.toContain('too little');
      },
    );

    it('reads an unknown address as words, and says that an unknown id is not stored', async () => {
      const address = await search({ query: 'https://polymarket.com/event/gold-above-9' });
      expect(address.data.events[0]?.title).toBe(GOLD);
      expect(address.meta.understood).toBeUndefined();
      const { data, meta } = await search({ query: 'PME_77' });
      expect(data).toEqual({ events: [], count: 0, scope: 'finance' });
      expect(meta).toMatchObject({ verdict: 'none', creditsUsed: 2 });
      expect(meta.notice).toMatch(/No event matches.*Not on this shelf: pme_77/);
    });

    it('notes that the event is outside the filters', async () => {
      const { meta } = await search({ query: 'pme_3' });
      expect(meta.notice).toContain('outside the filters: pme_3');
      expect(meta.verdict).not.toBe('strong');
    });
  });

  it('finds an event by title, tags, assets, questions, labels and description', async () => {
    const own = market({ market_question: 'Will ounces exceed it?', group_label: 'Threshold' });
    const texts = { description: 'A verbose note', markets: [own] };
    put(db, [event({ title: 'Bullion', tags: ['bitcoin', 'macro-single'], ...texts })]);
    for (const query of ['bullion', 'xbt', 'bitcoin', 'ounces', 'threshold', 'yes', 'verbose']) {
      expect((await search({ query })).data.count, query).toBe(1);
    }
  });

  it('returns only the nearest event if none is related, and all if more than five are requested', async () => {
    const months = ['June', 'July', 'August', 'September', 'October'];
    putTitled(months.map((month) => `Long bond rally by ${month}?`));
    const query = 'recipe for sourdough bread with a long fermentation';
    const more = await search({ query, limit: 6 });
    expect(more.data.count).toBe(5);
    expect(more.meta.notice).toContain('nothing is clearly related: these are the nearest');
    const { data, meta } = await search({ query });
    expect(data).toEqual({ ...more.data, events: more.data.events.slice(0, 1), count: 1 });
    expect(meta).toMatchObject({ verdict: 'none', creditsUsed: 2 });
  });

  it('finds an event by the month in its ticker if the title lacks it', async () => {
    const events = ['oct', 'nov', 'dec'].map((month) =>
      event({ id: month, title: 'CPI above 3 %?', slug: `kxcpi-26${month}` }),
    );
    put(db, events);
    const { data } = await search({ query: 'CPI above 3 % in November 2026' });
    expect(data.events[0]?.alias).toBe('pme_nov');
  });

  it('gives no strong verdict to an event that shares only dates, numbers and a side with the question', async () => {
    const others = Array.from({ length: 20 }, (_, at) => `Fed decision ${at} in May 2027`);
    putTitled(['Bitcoin above 3% in November 2026?', ...others]);
    for (const query of ['CPI exceed 3% November 2026', 'CPI above 3% in November 2026']) {
      const { data, meta } = await search({ query });
      expect(data.events[0]?.title).toBe('Bitcoin above 3% in November 2026?');
      expect(meta.verdict).toBe('weak');
    }
    const own = await search({ query: 'Bitcoin exceed 3% November 2026' });
    expect(own.meta.verdict).toBe('strong');
  });

  it('warns about a question that excludes its own subject', async () => {
    putTitled(['Bitcoin above $100,000?', 'Silver above $30?']);
    const { meta } = await search({ query: '-bitcoin bitcoins above $100,000' });
    expect(meta.notice).toContain('-bitcoin excludes part of the subject itself');
  });

  it('gives no strong verdict to an event that ended without a result', async () => {
    const title = 'Bank of Canada cut in October';
    const query = 'a cut by the Bank of Canada in October';
    putTitled(Array.from({ length: 12 }, (_, at) => `Silver above $${at + 30}`));
    put(db, [event({ id: '1', title, end_time: '2026-12-01T00:00:00.000Z' })]);
    expect((await search({ query })).meta.verdict).toBe('strong');
    put(db, [event({ id: '1', title, end_time: '2026-11-01T00:00:00.000Z' })]);
    const { data, meta } = await search({ query });
    expect(data.events[0]?.title).toBe(title);
    expect(meta.verdict).toBe('weak');
  });

  it('finds a long-closed event by its exact title, unless the caller sets a status', async () => {
    const title = 'Bank of Canada cut in March 2025?';
    const closed = { status: 'closed', closed_time: '2025-03-20T00:00:00.000Z' } as const;
    putTitled(['Bank of Canada cut']);
    put(db, [event({ id: '2', title, ...closed })]);
    const { data, meta } = await search({ query: 'bank of canada cut in march 2025' });
    expect(data.events[0]).toMatchObject({ title, status: 'closed' });
    const understood = [`title: ${title}`, 'status: closed'];
    expect(meta).toMatchObject({ verdict: 'strong', understood });
    const active = await search({ query: title, status: 'active' });
    expect(active.data.events.map((one) => one.title)).toEqual(['Bank of Canada cut']);
  });

  it('states when each event was last seen, and the earliest of these times as asOf', async () => {
    const [old, fresh] = ['2026-11-20T12:00:00.000Z', '2026-11-21T11:55:00.000Z'];
    put(db, [event({ id: '1', title: 'Gold above $5,000' })], old);
    put(db, [event({ id: '2', title: 'Gold above $6,000' })], fresh);
    const { data, meta } = await search({ query: 'gold' });
    expect(data.events.map(({ synced_at }) => synced_at).sort()).toEqual([old, fresh]);
    expect(meta.asOf).toBe(old);
    expect((await search({ query: 'gold above 6,000', limit: 1 })).meta.asOf).toBe(fresh);
  });

  it('counts the events within the filters that contain all words', async () => {
    putTitled(['Gold above $5,000', 'Gold above $6,000', 'Silver above $50'], { tags: ['stocks'] });
    put(db, [event({ id: '1', title: 'Gold above $5,000', tags: ['economy'] })]);
    expect((await search({ query: 'gold above' })).meta.holding).toBe(2);
    expect((await search({ query: 'gold above', tag: 'stocks' })).meta.holding).toBe(1);
  });

  it('returns fewer events than found rather than a reply that is too long', async () => {
    const long = { description: `gold ${'x'.repeat(7_990)}` };
    putTitled(new Array(20).fill('Metal'), long);
    const { data, meta } = await search({ query: 'gold', limit: 20 });
    expect(data.count).toBe(10);
    const shown = data.events.map(({ alias }) => alias);
    const named = meta.notice?.match(/pme_\d+/g) ?? [];
    expect(meta.notice).toContain('Only 10 of 20 events');
    expect(meta.notice).toContain('prediction_market_event_read');
    expect(new Set([...shown, ...named]).size).toBe(20);
    expect(JSON.stringify({ data, meta }).length).toBeLessThan(90_000);
  });
});
