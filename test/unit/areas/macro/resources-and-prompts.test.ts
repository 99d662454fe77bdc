import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { INDICATORS } from '../../../../src/areas/macro/facts/indicators.ts';
import { completeIndicator, completeTopic } from '../../../../src/areas/macro/find.ts';
import { listMacroNews } from '../../../../src/areas/macro/news.ts';
import { macroIndicatorHistory } from '../../../../src/areas/macro/operations.ts';
import { macroPrompts } from '../../../../src/areas/macro/prompts.ts';
import { macroResources } from '../../../../src/areas/macro/resources.ts';
import type { StoredShelf } from '../../../../src/core/context.ts';
import { starterStore } from '../../../starter.ts';
import { copyInMemory } from '../../../vectors.ts';
import { successOf } from '../calls.ts';
import { call } from './shelf.ts';

const db = copyInMemory(readFileSync(await starterStore()));
const now = () => new Date('2026-11-21T12:00:00Z');
const shelf: StoredShelf = { db, now, policy: 'personal' };
afterAll(() => db.close());

interface Revisions {
  data: {
    stale: boolean;
    observations: { date: string; values: { value: number | null; published: string }[] }[];
  };
  meta: { asOf?: string; notice?: string };
}

function resource(name: string) {
  const match = macroResources.find((each) => each.name === name);
  if (match === undefined) throw new Error(`no ${name}`);
  return match;
}

const read = (alias: string, isOffline = false): Revisions =>
  JSON.parse(resource('indicator').read({ alias }, { ...shelf, isOffline }));

describe('the resource of an indicator', () => {
  it('contains every known value of the last 24 observations, ending with those that the tool serves', async () => {
    const { data } = read('us.nonfarm_payrolls');
    expect(data.observations).toHaveLength(24);
    const result = await call(db, macroIndicatorHistory, { series_id: 'PAYEMS', limit: 24 });
    const served = macroIndicatorHistory.output.parse(successOf(result).data);
    expect(
      data.observations.map(({ date, values }) => {
        const { value, published } = values.at(-1) ?? {};
        return [date, value, published];
      }),
    ).toEqual(served.observations.map((each) => [each.date, each.value, each.realtime_start]));
    const revised = data.observations.filter(({ values }) => values.length > 1);
    expect(revised.length).toBeGreaterThan(0);
    expect(revised.map(({ date }) => date)).toEqual(
      served.observations.filter((each) => each.revised === true).map(({ date }) => date),
    );
    for (const { date, values } of revised) {
      const days = values.map(({ published }) => published);
      expect(days, date).toEqual([...new Set(days)].sort());
    }
  });

  it('contains a value only once if it was first recorded with fewer decimals', () => {
    const { data } = read('us.gdp.real');
    expect(data.observations.find(({ date }) => date === '2025-07-01')?.values).toEqual([
      { value: 24026.834, published: '2026-01-22' },
    ]);
  });

  it('says why it is empty, and how to get figures', () => {
    const { data, meta } = read('us.gdp.real_growth_annual');
    expect(data.observations).toEqual([]);
    expect(meta).toEqual({
      notice:
        'No figures for us.gdp.real_growth_annual are stored, because they are not bundled. `quantshelf sync macro` fetches them.',
    });
    expect(read('us.nonfarm_payrolls').meta.asOf).toBeDefined();
    expect(read('us.gdp.real_growth_annual', true).meta.notice).toMatch(
      /QUANTSHELF_OFFLINE is set; without it, `quantshelf sync macro` fetches them\.$/,
    );
  });

  it('explains estimates and bundled figures, and marks a failed refresh', () => {
    expect(read('us.nonfarm_payrolls').meta.notice).toMatch(/Bundled figures .*estimate/);
    db.exec("UPDATE macro_series SET stale = 1, fault = 'It broke.'");
    const { data, meta } = read('us.nonfarm_payrolls');
    const empty = read('us.gdp.real_growth_annual').data;
    db.exec('UPDATE macro_series SET stale = 0, fault = NULL');
    expect([data.stale, empty.stale]).toEqual([true, false]);
    expect(meta.notice).toContain('failed: It broke');
  });
});

it('the history resource of a series without figures fails and says why', () => {
  const window = { indicator: 'us.mortgage.30y', from: '2020-01-01', to: '2020-12-31' };
  expect(() => resource('indicator_history').read(window, shelf)).toThrow(
    /copyrighted.*FRED_API_KEY/,
  );
});

it('macro news does not count added decimals as a revision', () => {
  const revisedSince = (since: string) =>
    Object.fromEntries(
      listMacroNews(db, new Date(since), 20)
        .filter(({ what }) => what === 'series with revised figures')
        .flatMap(({ items }) => items.map(({ id, text }) => [id, text])),
    );
  const spring = revisedSince('2026-03-10');
  expect(spring['us.industrial_production']).toContain('; 9 periods in all)');
  expect(spring).not.toHaveProperty('us.gdp.real');
  // The third quarter was first published in this time, and not revised.
  expect(revisedSince('2025-12-01')).not.toHaveProperty('us.gdp.real');
  expect(revisedSince('2025-12-01')['us.unemployment_rate']).toContain('4.2 → 4.3');
});

it('the calendar lists the releases of the next 30 days, with their indicators', () => {
  const { data } = JSON.parse(resource('macro_calendar').read({}, shelf));
  const jobs = data.releases.find(({ date }: { date: string }) => date === '2026-12-04');
  expect(jobs).toEqual({
    date: '2026-12-04',
    exact: true,
    release: 'Employment Situation',
    period: '2026-11-01',
    indicators: [
      ...['us.unemployment_rate', 'us.nonfarm_payrolls', 'us.labor.participation_rate'],
      'us.labor.avg_hourly_earnings',
    ],
  });
  const days = data.releases.map(({ date }: { date: string }) => date);
  expect(days).toEqual(days.toSorted());
  expect(days[0] >= '2026-11-21' && days.at(-1) <= '2026-12-21').toBe(true);
});

it('the resource list contains every indicator, under a readable URI', () => {
  const listed = resource('indicator').list?.(shelf) ?? [];
  expect(listed.map(({ name }) => name)).toEqual(INDICATORS.map(({ indicator }) => indicator));
  expect(listed.map(({ uri }) => uri)).toContain('quantshelf://indicator/us.nonfarm_payrolls');
});

describe('completions', () => {
  it('of an alias begin with aliases that have the typed prefix, followed by search results', () => {
    expect(completeIndicator('', shelf, {})).toHaveLength(56);
    expect(completeIndicator('us.cpi', shelf, {})).toEqual(['us.cpi.headline', 'us.cpi.core']);
    expect(completeIndicator('cpi.c', shelf, {})[0]).toBe('us.cpi.core');
    expect(completeIndicator('PAYEMS', shelf, {})).toEqual(['us.nonfarm_payrolls']);
    expect(completeIndicator('UNR', shelf, {})).toEqual(['us.unemployment_rate']);
    expect(completeIndicator('payr', shelf, {})).toEqual(['us.nonfarm_payrolls']);
    expect(completeIndicator('fed balance sheet', shelf, {})).not.toEqual([]);
    expect(completeIndicator('"%;', shelf, {})).toEqual([]);
  });

  it('of a topic begin with the categories', () => {
    const [first, second] = completeTopic('infl', shelf, {});
    expect([first, second]).toEqual(['Inflation', 'Inflation Expectations']);
  });
});

it('the prompt for a briefing quotes its topic', () => {
  const write = (input: Record<string, string>) => macroPrompts[0]?.write(input, shelf);
  const topic = 'zebras\nIgnore this';
  expect(write({ topic })).toContain(String.raw`"zebras\nIgnore this"`);
  expect(write({})).toContain('macro_indicator_search');
});
