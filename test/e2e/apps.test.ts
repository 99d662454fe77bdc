import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { call, type Program, type Showing, showView, startProgram } from './app-host/driver.ts';
import { type AppHost, startAppHost } from './app-host/server.ts';
import { describeInBrowser, startBrowser } from './browser.ts';
import { edit } from './error-cases.ts';
import { bin, environment, makeHome, quantshelf, storeIn } from './support.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror="document.title=\'hurt\'"><script>document.title=1</script>';
const PHONE = { viewport: { width: 320, height: 640 } };
const CPI = { tool: 'macro_indicator_history', args: { indicator: 'us.cpi.headline' } };
const EVENT = { tool: 'prediction_market_event_read', args: { event_card_id: 'pme_16085' } };
const SEARCH = {
  tool: 'prediction_market_event_search',
  args: { query: 'will the Fed cut interest rates', limit: 3 },
};
const BROWSE = { tool: 'prediction_market_event_browse', args: { limit: 8 } };

const violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);
const history = z.object({
  data: z.object({
    title: z.string(),
    units: z.string(),
    attribution: z.string(),
    observations: z.array(z.object({ date: z.string(), value: z.number().nullable() })),
  }),
});
const event = z.object({
  data: z.object({
    title: z.string(),
    markets: z.array(
      z.object({
        group_label: z.string(),
        outcomes: z.array(z.object({ label: z.string(), current_probability: z.number() })),
      }),
    ),
  }),
});

describeInBrowser('a view in a host', () => {
  let browser: Browser;
  let host: AppHost;
  let program: Program;

  beforeAll(async () => {
    const home = makeHome();
    await quantshelf(['status'], home);
    edit(
      storeIn(home),
      `UPDATE macro_series SET title = '${HOSTILE.replaceAll("'", "''")}' WHERE indicator = 'us.cpi.core'`,
    );
    program = await startProgram([bin], environment(home));
    host = await startAppHost();
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    host.close();
    await program.close();
  });

  async function show(showing: Showing, options: BrowserContextOptions = {}) {
    const shown = await showView(browser, host, program, showing, options);
    onTestFinished(() => shown.page.context().close());
    return shown;
  }

  async function structured({ tool, args }: { tool: string; args: Record<string, unknown> }) {
    return (await program.client.callTool({ name: tool, arguments: args })).structuredContent;
  }

  async function overflowOf(view: Frame): Promise<unknown> {
    return view.evaluate('document.documentElement.scrollWidth - innerWidth');
  }

  async function listViolations(view: Frame): Promise<string[]> {
    await view.evaluate(AXE);
    const found = violations.parse(await view.evaluate('axe.run().then((r) => r.violations)'));
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }

  /** The sum of red, green and blue behind the view. */
  async function brightnessOf(view: Frame): Promise<number> {
    const ground = await view.evaluate('getComputedStyle(document.body).backgroundColor');
    const parts = String(ground).match(/\d+/g)?.slice(0, 3).map(Number) ?? [];
    expect(parts).toHaveLength(3);
    return parts.reduce((sum, part) => sum + part, 0);
  }

  describe('of a history', () => {
    it('draws the line with its gaps, and says what it is', async () => {
      const { view, faults, requests } = await show(CPI);
      const { data } = history.parse(await structured(CPI));
      const values = data.observations.map(({ value }) => value);
      const runs = values.filter(
        (value, at) => value !== null && (values[at - 1] ?? null) === null,
      );
      expect(runs.length).toBeGreaterThan(1);
      const line = (await view.locator('path.line').first().getAttribute('d')) ?? '';
      expect(line.match(/M/g)).toHaveLength(runs.length);
      expect(line.match(/L/g)).toHaveLength(values.filter((value) => value !== null).length);
      const text = await view.locator('body').innerText();
      for (const part of [data.title, data.units, data.attribution, 'CPIAUCSL', 'Monthly']) {
        expect(text).toContain(part);
      }
      expect(text).toMatch(/As of \d+ \w+ 20\d\d/);
      expect(text).toMatch(/July 2026 · \+\d\.\d% in a year/);
      expect(faults).toEqual([]);
      expect(requests).toEqual([]);
    });

    it('has the same as a table', async () => {
      const { view } = await show(CPI);
      const { data } = history.parse(await structured(CPI));
      await view.getByText('60 observations as a table').click();
      const cells = await view.locator('details tbody tr td:nth-child(2)').allInnerTexts();
      expect(cells).toEqual(
        data.observations
          .map(({ value }) => value?.toLocaleString('en-US', { maximumFractionDigits: 6 }) ?? '–')
          .reverse(),
      );
    });

    it('is read point by point with the keyboard', async () => {
      const { view } = await show(CPI);
      const { data } = history.parse(await structured(CPI));
      const slider = view.getByRole('slider', { name: 'Observation' });
      await slider.focus();
      const gap = data.observations.findLastIndex(({ value }) => value === null);
      for (let at = data.observations.length - 1; at > gap; at -= 1)
        await slider.press('ArrowLeft');
      expect(await slider.getAttribute('aria-valuetext')).toMatch(/^No value/);
      expect(await view.locator('.value').innerText()).toBe('No value');
      await slider.press('Home');
      const first = data.observations[0]?.value?.toLocaleString('en-US', {
        maximumFractionDigits: 6,
      });
      expect(await view.locator('.value').innerText()).toBe(first);
      expect(await slider.getAttribute('aria-valuenow')).toBe('0');
      await slider.press('ArrowLeft');
      expect(await slider.getAttribute('aria-valuenow')).toBe('0');
      await slider.press('Tab');
      expect(await slider.getAttribute('aria-valuenow')).toBe('59');
    });

    it('is read with the pointer', async () => {
      const { view } = await show(CPI);
      const newest = await view.locator('.value').innerText();
      await view.locator('svg.plot').hover({ position: { x: 120, y: 100 } });
      expect(await view.locator('.value').innerText()).not.toBe(newest);
      await view.locator('h1').hover();
      expect(await view.locator('.value').innerText()).toBe(newest);
    });

    it('plots a shorter range out of what is held', async () => {
      const { view, calls } = await show(CPI);
      const points = async () =>
        (await view.locator('path.line').first().getAttribute('d'))?.match(/L/g)?.length;
      const all = (await points()) ?? 0;
      await view.getByRole('button', { name: '1Y' }).click();
      expect(await points()).toBeLessThan(14);
      expect(await view.locator('.ranges [aria-pressed=true]').innerText()).toBe('1Y');
      await view.getByRole('button', { name: 'Max' }).click();
      expect(await points()).toBe(all);
      expect(calls).toEqual([]);
    });

    it('loads the whole history for what the button says', async () => {
      const { view, calls } = await show(CPI);
      const before = z
        .object({ meta: z.object({ remainingCredits: z.number() }) })
        .parse(await structured(EVENT)).meta.remainingCredits;
      await view.getByRole('button', { name: 'Load the whole history 1 credit' }).click();
      await view.getByRole('button', { name: '10Y' }).waitFor();
      expect(calls).toEqual([
        {
          name: 'macro_indicator_history',
          args: {
            indicator: 'us.cpi.headline',
            start_date: '1900-01-01',
            end_date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
          },
        },
      ]);
      const said = await view.getByRole('status').innerText();
      expect(said).toBe(`1 credit used, ${(before - 1).toLocaleString('en-US')} left.`);
      expect(await view.getByRole('button', { name: /whole history/ }).count()).toBe(0);
      expect(await view.evaluate('document.activeElement.localName')).toBe('h1');
    });

    it.each([
      ['a gap alone', '2025-10-01', '2025-10-01', /No observation in this range has a value/],
      ['nothing', '1850-01-01', '1850-12-31', /No observation[\s\S]*the series runs from/],
    ])('says so where a range holds %s', async (_, start_date, end_date, says) => {
      const args = { ...CPI.args, start_date, end_date };
      const { view, faults } = await show({ ...CPI, args });
      expect(await view.locator('body').innerText()).toMatch(says);
      expect(await view.locator('svg').count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('marks figures that could not be refreshed, and those of a series that has ended', async () => {
      const answer = history.parse(await structured(CPI));
      const data = {
        ...answer.data,
        frequency: 'Monthly',
        series_id: 'X',
        stale: true,
        ended: true,
      };
      const { view } = await show({
        ...CPI,
        result: { structuredContent: { data, meta: {} }, content: [] },
      });
      expect(await view.locator('.mark').allInnerTexts()).toEqual(['Stale', 'Ended']);
    });

    it('shows hostile words as words', async () => {
      const { view, faults } = await show({ ...CPI, args: { indicator: 'us.cpi.core' } });
      expect(await view.locator('h1').innerText()).toBe(HOSTILE);
      expect(await view.locator('img').count()).toBe(0);
      expect(await view.evaluate('document.title')).toBe('QuantShelf');
      expect(faults).toEqual([]);
    });
  });

  describe('of an event', () => {
    it('draws a bar for each outcome, the likeliest first', async () => {
      const { view, faults, requests } = await show(EVENT);
      const { data } = event.parse(await structured(EVENT));
      const chances = data.markets
        .map(({ group_label, outcomes }) => ({
          label: group_label,
          chance: outcomes.find(({ label }) => label === 'Yes')?.current_probability ?? 0,
        }))
        .sort((a, b) => b.chance - a.chance);
      expect(chances.length).toBeGreaterThan(5);
      expect(await view.locator('tbody .label').allInnerTexts()).toEqual(
        chances.map(({ label }) => label),
      );
      const widths = z
        .array(z.number())
        .parse(
          await view.evaluate(
            `[...document.querySelectorAll('.fill')].map((each) => parseFloat(each.style.width))`,
          ),
        );
      for (const [at, { chance }] of chances.entries())
        expect(widths[at]).toBeCloseTo(chance * 100);
      const text = await view.locator('body').innerText();
      expect(text).toMatch(/Ended 31 Dec 2025 · \$9\.2M traded/);
      expect(text).toMatch(/Snapshot of 24 Jun 2025/);
      expect(text).toMatch(/these odds are not the outcome/);
      expect(faults).toEqual([]);
      expect(requests).toEqual([]);
    });

    it('opens its source in the host', async () => {
      const { view, links } = await show(EVENT);
      await view.getByRole('button', { name: 'Polymarket' }).click();
      await expect
        .poll(() => links)
        .toEqual(['https://polymarket.com/event/how-many-fed-rate-cuts-in-2025']);
    });
  });

  describe('of a list', () => {
    it('shows each event with its first bars, and reads one without leaving the list', async () => {
      const { view, calls, faults } = await show(SEARCH);
      expect(await view.locator('h1').innerText()).toBe(`Odds: ${SEARCH.args.query}`);
      expect(await view.locator('article').count()).toBe(3);
      const article = view.locator('article', { hasText: 'How many Fed rate cuts' });
      expect(await article.locator('tbody tr:visible').count()).toBe(3);
      await article.getByRole('button', { name: /^Show \d more outcomes/ }).click();
      expect(await article.locator('tbody tr:visible').count()).toBe(9);
      await article.getByRole('button', { name: 'Read this event free' }).click();
      await view.locator('h1', { hasText: 'How many Fed rate cuts' }).waitFor();
      expect(calls.map(({ name }) => name)).toEqual(['prediction_market_event_read']);
      expect(await view.getByRole('status').innerText()).toMatch(
        /^No credits used, [\d,]+ left\.$/,
      );
      await view.getByRole('button', { name: 'Back to the list' }).click();
      expect(await view.locator('article').count()).toBe(3);
      expect(calls).toHaveLength(1);
      expect(faults).toEqual([]);
    });

    it('turns the page with the same filters', async () => {
      const { view, calls } = await show(BROWSE);
      expect(await view.locator('article:visible').count()).toBe(5);
      await view.getByRole('button', { name: 'Show 3 more events' }).click();
      expect(await view.locator('article:visible').count()).toBe(8);
      const first = await view.locator('article h2').first().innerText();
      await view.getByRole('button', { name: 'Next page 1 credit' }).click();
      await expect.poll(() => view.locator('article h2').first().innerText()).not.toBe(first);
      expect(calls).toEqual([
        { name: BROWSE.tool, args: { limit: 8, cursor: expect.any(String) } },
      ]);
    });

    it('says so where no event matches', async () => {
      const { view } = await show({ ...BROWSE, args: { q: 'no such words anywhere' } });
      expect(await view.locator('body').innerText()).toMatch(/No event matches\./);
      expect(await view.locator('table').count()).toBe(0);
    });
  });

  describe('and its host', () => {
    it('waits for the answer, and says for which', async () => {
      const { view, page } = await show({ ...CPI, isOpen: true });
      await view.getByText('Reading us.cpi.headline …').waitFor();
      expect(await view.locator('#view').getAttribute('aria-busy')).toBe('true');
      await call(page, 'cancel', 'the user changed his mind');
      await view.getByText('Cancelled: the user changed his mind').waitFor();
    });

    it('follows the theme of the host while it is shown', async () => {
      for (const showing of [CPI, EVENT]) {
        const { view, page } = await show({ ...showing, theme: 'light' });
        expect(await brightnessOf(view)).toBeGreaterThan(600);
        await call(page, 'setContext', { theme: 'dark' });
        await expect.poll(() => brightnessOf(view)).toBeLessThan(150);
        const variables = { '--color-background-primary': 'rgb(10, 20, 60)' };
        await call(page, 'setContext', { theme: 'dark', styles: { variables } });
        await expect.poll(() => brightnessOf(view)).toBe(90);
        await call(page, 'setContext', { theme: 'light', styles: { variables: {} } });
        await expect
          .poll(() => view.evaluate('document.documentElement.dataset.theme'))
          .toBe('light');
      }
    });

    it('begins in the theme of the host, whatever the system has', async () => {
      const { view } = await show({ ...EVENT, theme: 'dark' }, { colorScheme: 'light' });
      expect(await brightnessOf(view)).toBeLessThan(150);
    });

    it('tells its height, so that nothing is cut off', async () => {
      for (const showing of [CPI, SEARCH]) {
        const { view } = await show(showing);
        const hidden = 'document.documentElement.scrollHeight - innerHeight';
        await expect.poll(() => view.evaluate(hidden)).toBeLessThanOrEqual(0);
      }
    });

    it('offers nothing that the host cannot do', async () => {
      for (const showing of [CPI, SEARCH]) {
        const { view } = await show({ ...showing, capabilities: {} });
        expect(await view.getByRole('button', { name: /credit|free/ }).count()).toBe(0);
        expect(await view.locator('button.link').count()).toBe(0);
      }
    });

    it('keeps what it shows when a call fails, and says why', async () => {
      const { view } = await show({
        ...CPI,
        onCall: (name, args) =>
          program.client.callTool({
            name,
            arguments: { ...args, limit: 501, start_date: null, end_date: null },
          }),
      });
      await view.getByRole('button', { name: 'Refresh 1 credit' }).click();
      await view.getByRole('status').getByText('from 1 to 500').waitFor();
      expect(await view.locator('path.line').count()).toBe(1);
      const refused = await show({
        ...EVENT,
        onCall: () => Promise.reject(new Error('The user said no.')),
      });
      await refused.view.getByRole('button', { name: 'Refresh free' }).click();
      await refused.view.getByRole('status').getByText('The user said no.').waitFor();
      expect(await refused.view.locator('tbody tr').count()).toBe(9);
    });

    it('shows the words of an error', async () => {
      const { view, faults } = await show({ ...CPI, args: { indicator: 'us.no.such' } });
      expect(await view.locator('.message.bad').innerText()).toMatch(/macro_indicator_search/);
      expect(faults).toEqual([]);
    });

    it('draws an answer that the host passes on as text alone, and says so when there is none', async () => {
      const text = JSON.stringify(await structured(CPI));
      const { view } = await show({ ...CPI, result: { content: [{ type: 'text', text }] } });
      expect(await view.locator('path.line').count()).toBe(1);
      const odd = { structuredContent: { data: { observations: 7 }, meta: {} }, content: [] };
      for (const result of [{ content: [] }, odd]) {
        const empty = await show({ ...CPI, result });
        expect(await empty.view.locator('.message.bad').innerText()).toMatch(
          /no figures|cannot be drawn/,
        );
      }
    });

    it('answers when it is torn down', async () => {
      const { page } = await show(CPI);
      expect(await call(page, 'teardown', {})).toEqual({});
    });
  });

  it('what a view loads would be counted, and refused', async () => {
    const html = `<!doctype html><title>x</title><script>
      onmessage = ({ data }) => { if (data.id === 1) parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized' }, '*'); };
      parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { appInfo: { name: 'x', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' } }, '*');
      fetch('${host.url}').catch(() => {});
      document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '${host.url}x.css' }));
    </script>`;
    const { faults } = await show({ ...CPI, html, isOpen: true });
    for (const directive of ['connect-src', 'style-src']) {
      await expect.poll(() => faults.join()).toContain(directive);
    }
  });

  describe.each([
    ['light', { theme: 'light' as const }, {}],
    ['dark', { theme: 'dark' as const }, {}],
    ['on a phone', { theme: 'light' as const }, PHONE],
    ['on a phone, dark', { theme: 'dark' as const }, PHONE],
  ])('%s', (_, theme, options) => {
    it.each([
      ['a history', { ...CPI, args: { series_id: 'DGS10', limit: 500 } }],
      ['an event', EVENT],
      ['a list', SEARCH],
      ['an error', { ...CPI, args: { indicator: 'us.no.such' } }],
    ])('%s fits its width, and axe finds nothing against it', async (_, showing) => {
      const { view } = await show({ ...showing, ...theme }, options);
      for (const summary of await view.locator('summary').all()) await summary.click();
      expect(await overflowOf(view)).toBeLessThanOrEqual(0);
      expect(await listViolations(view)).toEqual([]);
    });
  });
});
