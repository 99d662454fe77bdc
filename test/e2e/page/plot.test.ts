import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { describeInBrowser } from '../browser.ts';
import { type Browsing, choose, draw, startBrowsing } from './browsing.ts';

const history = z.object({
  data: z.object({
    attribution: z.string(),
    observations: z.array(z.object({ date: z.string(), value: z.number().nullable() })),
  }),
});
const FIVE = ['us.yield.2y', 'us.yield.5y', 'us.yield.10y', 'us.yield.30y', 'us.yield.3m'];

describeInBrowser('plots on the page', () => {
  let browsing: Browsing;

  beforeAll(async () => {
    browsing = await startBrowsing();
  });

  afterAll(() => browsing.stop());

  async function historyOf(indicator: string) {
    return history.parse(await browsing.ask(`/api/macro/historical?indicator=${indicator}`)).data;
  }

  it('draws an indicator: a line with its gaps, its attribution and the same as a table', async () => {
    const { page, faults } = await browsing.enter();
    await draw(page, ['us.cpi.headline']);
    const { observations, attribution } = await historyOf('us.cpi.headline');
    const values = observations.map(({ value }) => value);
    const runs = values.filter((value, at) => value !== null && (values[at - 1] ?? null) === null);
    expect(runs.length).toBeGreaterThan(1);
    const line = (await page.locator('svg.plot path.line').getAttribute('d')) ?? '';
    expect(line.match(/M/g)).toHaveLength(runs.length);
    expect(line.match(/L/g)).toHaveLength(values.filter((value) => value !== null).length);
    expect(await page.locator('.attribution').innerText()).toBe(attribution);
    await page.getByText('The same as a table, 60 rows').click();
    const month = new Intl.DateTimeFormat('en-GB', {
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    });
    expect(await page.locator('#indicator-figure tbody tr').allInnerTexts()).toEqual(
      observations.map(
        ({ date, value }) =>
          `${month.format(Date.parse(date))}\t${value?.toLocaleString('en-US', { maximumFractionDigits: 6 }) ?? '–'}`,
      ),
    );
    expect(faults).toEqual([]);
  });

  it('puts ticks around every value, and dates in order below', async () => {
    const { page } = await browsing.enter();
    for (const indicator of ['us.nonfarm_payrolls', 'us.yield_curve.10y_2y', 'us.gdp.real']) {
      await draw(page, [indicator]);
      const values = (await historyOf(indicator)).observations.flatMap(({ value }) => value ?? []);
      const ticks = await page.locator('.tick:not(.date) text').allTextContents();
      const numbers = ticks.map((label) => Number(label.replaceAll(',', '')));
      expect(numbers[0]).toBeLessThanOrEqual(Math.min(...values));
      expect(numbers.at(-1)).toBeGreaterThanOrEqual(Math.max(...values));
      expect(new Set(numbers).size).toBe(numbers.length);
      const labels = await page.locator('.tick.date text').allTextContents();
      const dates = labels.map((label) => Date.parse(label));
      expect(dates.length).toBeGreaterThan(1);
      expect(dates).toEqual([...dates].sort((a, b) => a - b));
    }
  });

  it('names a period by the frequency of its series', async () => {
    const { page } = await browsing.enter();
    for (const [indicator, period] of [
      ['us.nonfarm_payrolls', 'July 2026'],
      ['us.gdp.real', 'Q1 2026'],
      ['us.fed.total_assets', '15 Jul 2026'],
      ['us.yield.10y', '20 Aug 2026'],
    ] as const) {
      await draw(page, [indicator]);
      expect(await page.locator('.legend .period').innerText()).toBe(period);
      expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toContain(period);
      const option = page.locator('.option', { has: page.locator(`input[value="${indicator}"]`) });
      expect(await option.innerText()).toContain(`to ${period}`);
    }
  });

  it('writes the year alone for annual figures, and quarters below quarterly ones', async () => {
    const { page } = await browsing.open();
    const written =
      await page.evaluate(`Promise.all([import('/page/format.js'), import('/page/scales.js')]).then(
      ([{ formatPeriod }, { dateTicks }]) => [
        formatPeriod('2025-01-01', 'Annual'),
        formatPeriod('2025-10-01', 'Quarterly'),
        ...dateTicks(Date.parse('2025-01-01'), Date.parse('2025-10-01'), 4, 'Quarterly').map(({ label }) => label),
        ...dateTicks(Date.parse('2024-01-01'), Date.parse('2026-01-01'), 4, 'Annual').map(({ label }) => label),
      ])`);
    const quarters = ['Q1 2025', 'Q2 2025', 'Q3 2025', 'Q4 2025'];
    expect(written).toEqual(['2025', 'Q4 2025', ...quarters, '2024', '2025', '2026']);
  });

  it('tells the maturities apart by the first letters of their names', async () => {
    const { page } = await browsing.enter();
    await page.getByRole('searchbox', { name: 'Filter the indicators' }).fill('us.yield. treasury');
    const names = await page.locator('.option:visible .option-name').allInnerTexts();
    expect(names).toHaveLength(FIVE.length + 1);
    expect(names).toContain('10-Year Market Yield on U.S. Treasury Securities');
    expect(new Set(names.map((name) => name.slice(0, 12))).size).toBe(names.length);
  });

  it('draws five series of one unit on one axis, and takes no sixth', async () => {
    const { page, faults } = await browsing.enter();
    await draw(page, FIVE, '1');
    expect(await page.locator('svg.plot path.line').count()).toBe(5);
    expect(await page.locator('svg.plot .unit').allTextContents()).toEqual(['Percent']);
    expect(await page.locator('svg.plot .end').allTextContents()).toHaveLength(5);
    const colours = await page.evaluate(
      `new Set([...document.querySelectorAll('svg.plot path.line')].map((line) => getComputedStyle(line).stroke)).size`,
    );
    expect(colours).toBe(5);
    expect(await page.locator('.option input[value="us.cpi.core"]').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'us.yield.2y remove' }).click();
    expect(await page.locator('.option input[value="us.cpi.core"]').isDisabled()).toBe(false);
    expect(faults).toEqual([]);
  });

  it('gives two units an axis each, and says which line has which', async () => {
    const { page } = await browsing.enter();
    await draw(page, ['us.unemployment_rate', 'us.nonfarm_payrolls'], '5');
    expect(await page.locator('svg.plot .unit').allTextContents()).toEqual([
      'Percent',
      'Thousands of Persons',
    ]);
    expect(await page.locator('.legend .series-unit').allInnerTexts()).toEqual([
      'Percent, left axis',
      'Thousands of Persons, right axis',
    ]);
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^\w+ 2026: Unemployment Rate [\d.]+, Percent; All Employees, Total Nonfarm [\d,]+, Thousands of Persons$/,
    );
  });

  it('rebases three units to 100, or draws deviations where that has no meaning, and says so', async () => {
    const { page } = await browsing.enter();
    const note = page.locator('.frame > .said');
    await draw(page, ['us.cpi.core', 'us.nonfarm_payrolls', 'us.gdp.real'], '5');
    expect(await note.innerText()).toMatch(/^3 units do not fit two axes: .* rebased to 100/);
    expect(await page.locator('.legend .value').first().innerText()).toMatch(
      /^[\d,.]+ \(1\d\d(\.\d)?\)$/,
    );
    await draw(page, ['us.yield_curve.10y_2y', 'us.nonfarm_payrolls', 'us.gdp.real'], '10');
    expect(await note.innerText()).toMatch(
      /^3 units do not fit two axes, and a value of zero or less .*z-scores/,
    );
    await draw(page, ['us.cpi.core', 'us.cpi.headline'], '5');
    expect(await note.isVisible()).toBe(false);
    await page.getByRole('combobox', { name: 'Scale' }).selectOption('rebased');
    expect(await note.innerText()).toMatch(/^Each series is rebased to 100/);
    expect(await page.locator('svg.plot .unit').innerHTML()).toBe('Rebased to 100');
  });

  it('marks a plot as passing while another one is read', async () => {
    const { page } = await browsing.enter();
    await draw(page, ['us.nonfarm_payrolls']);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/indicator=us\.gdp\.real/, async (route) => {
      await held;
      await route.continue();
    });
    const drawn = draw(page, ['us.gdp.real']);
    const passing = page.locator('#indicator-figure[aria-busy=true]');
    await passing.waitFor();
    expect(await passing.locator('.sources').innerText()).toContain('PAYEMS');
    expect(await page.locator('#indicator-said').innerText()).toBe('Reading …');
    release();
    await drawn;
  });

  it('copes with one value, with gaps and with nothing', async () => {
    const { page, faults } = await browsing.enter();
    await choose(page, ['us.cpi.headline']);
    await page.locator('#indicator-range').selectOption('dates');
    for (const [start, end, hasLine] of [
      ['2025-09-01', '2025-09-01', true],
      ['2025-10-01', '2025-10-01', false],
      ['2025-09-01', '2025-10-01', true],
      ['1850-01-01', '1850-12-31', false],
    ] as const) {
      await page.locator('#indicator-start').fill(start);
      await page.locator('#indicator-end').fill(end);
      await page.getByRole('button', { name: /^Draw/ }).click();
      const shown = page.locator('#indicator-figure[aria-busy=false]');
      if (hasLine) {
        // A value by itself is a line without length, whose round ends show it.
        const line = await shown.locator('svg.plot path.line').getAttribute('d');
        expect(line).toMatch(/^M([\d.]+ [\d.]+)L\1$/);
      } else {
        expect(await shown.locator('.empty').innerText()).toMatch(
          /^No observation .* longer range/,
        );
        expect(await shown.locator('svg.plot').count()).toBe(0);
      }
    }
    expect(faults).toEqual([]);
  });

  it('is read date by date with the keyboard, and with the pointer', async () => {
    const { page } = await browsing.enter();
    await draw(page, ['us.cpi.headline']);
    const { observations } = await historyOf('us.cpi.headline');
    const slider = page.getByRole('slider', { name: 'Date' });
    await slider.focus();
    const gap = observations.findLastIndex(({ value }) => value === null);
    for (let at = observations.length - 1; at > gap; at -= 1)
      await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toContain('no value');
    expect(await page.locator('.dot').getAttribute('visibility')).toBe('hidden');
    await page.keyboard.press('Home');
    const first = observations[0]?.value?.toLocaleString('en-US', { maximumFractionDigits: 6 });
    expect(await page.locator('.legend .value').innerText()).toBe(first);
    const plot = page.getByRole('img', { name: /Consumer Price Index/ });
    await plot.click();
    expect(Number(await slider.inputValue())).toBeGreaterThan(20);
    const before = Number(await slider.inputValue());
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('range');
    await page.keyboard.press('ArrowRight');
    expect(Number(await slider.inputValue())).toBe(before + 1);
    const summary = await plot.getAttribute('aria-describedby');
    expect(await page.locator(`#${summary}`).textContent()).toMatch(
      /60 observations.*Lowest.*highest.*latest.*shown as gaps/i,
    );
  });

  it('lets two plots stand on one page', async () => {
    const { page } = await browsing.enter();
    await draw(page, ['us.cpi.headline']);
    const part = page.locator('details.operation', { hasText: '/api/macro/historical' });
    await part.locator('summary').first().click();
    await part.getByRole('button', { name: /^Send/ }).click();
    await part.locator('svg.plot').waitFor();
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(await page.locator('svg.plot').count()).toBe(2);
  });
});
