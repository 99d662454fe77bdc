import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { describeInBrowser, startBrowser } from './browser.ts';
import { edit } from './error-cases.ts';
import { makeKey, type Serving, startServing } from './serving.ts';
import { makeHome, quantshelf, storeIn } from './support.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror="document.title=\'hurt\'"><script>document.title=1</script>';
const PHONE = { width: 320, height: 640 };

const violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);
const history = z.object({
  data: z.object({
    attribution: z.string(),
    observations: z.array(z.object({ date: z.string(), value: z.number().nullable() })),
  }),
});

describeInBrowser('the page', () => {
  let browser: Browser;
  let serving: Serving;
  let key = '';

  beforeAll(async () => {
    const home = makeHome();
    await quantshelf(['status'], home);
    edit(
      storeIn(home),
      `UPDATE macro_series SET title = '${HOSTILE.replaceAll("'", "''")}' WHERE indicator = 'us.cpi.core'`,
    );
    key = await makeKey(home, 'ada');
    serving = await startServing(home);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await serving.stop();
  });

  /** The page in a tab of its own, and what went wrong in it. */
  async function openPage(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const faults: string[] = [];
    const addresses: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto(serving.url);
    await page.locator('details.operation').first().waitFor();
    return { page, faults, addresses };
  }

  async function enterKey(page: Page, text = key): Promise<void> {
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill(text);
    await page.getByRole('button', { name: 'Use this key' }).click();
    if (text === key) await page.locator('#indicator-name:enabled').waitFor();
  }

  /** Ends when the plot of this indicator is shown: until then an earlier one may be. */
  async function draw(page: Page, indicator: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Indicator', exact: true }).selectOption(indicator);
    const chosen = await page.locator('#indicator-name option:checked').innerText();
    const [, series] = z.tuple([z.string(), z.string()]).parse(/\((\w+)\)$/.exec(chosen));
    await page.getByRole('button', { name: /^Draw/ }).click();
    await page
      .locator('figure[aria-busy=false]:has(svg.plot) > .said', {
        hasText: new RegExp(`· ${series}$`),
      })
      .waitFor();
  }

  async function ask(path: string): Promise<unknown> {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(serving.url + path, { headers })).json();
  }

  it('tells what there is, from this server alone', async () => {
    const { page, faults, addresses } = await openPage();
    const rows = await page.locator('#route-list tr').allInnerTexts();
    for (const { method, path, price } of operations) {
      const row = rows.find((text) => text.startsWith(`${method} ${path}\t`));
      expect(row, path).toMatch(new RegExp(`\\t${price}$`));
    }
    for (const path of ['/', '/health', '/openapi.json']) {
      expect(rows.some((row) => row.startsWith(`GET ${path}\t`) && row.endsWith('\tno key'))).toBe(
        true,
      );
    }
    expect(await page.locator('details.operation').count()).toBe(operations.length);
    expect(addresses.filter((address) => !address.startsWith(`${serving.url}/`))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('leaves no way for text to become part of it', async () => {
    const { page } = await openPage();
    const tries = [
      `document.body.innerHTML = '<b>x</b>'`,
      `document.body.insertAdjacentHTML('beforeend', '<b>x</b>')`,
    ];
    for (const text of tries) {
      expect(
        await page.evaluate(
          `(() => { try { ${text}; return 'done'; } catch (e) { return e.name; } })()`,
        ),
      ).toBe('TypeError');
    }
    await page
      .evaluate(`(() => {
      const script = document.createElement('script');
      script.append('document.title = "hurt"');
      document.body.append(script);
    })()`)
      .catch(() => {});
    expect(await page.title()).toBe('QuantShelf');
  });

  it('says what is wrong with a key, and how to mend it', async () => {
    const { page } = await openPage();
    for (const [text, says] of [
      ['qs_nobody', /unknown or was revoked.*keys list/],
      ['ключ', /letters and digits only/],
      ['', /A key is needed/],
    ] as const) {
      await enterKey(page, text);
      await expect.poll(() => page.locator('#key-said').innerText()).toMatch(says);
    }
    await enterKey(page);
    expect(await page.locator('#key-said').innerText()).toBe('10,000 credits left.');
  });

  it('forgets the key: it stands in no address, no store and no markup', async () => {
    const { page, addresses } = await openPage();
    await enterKey(page);
    await draw(page, 'us.cpi.headline');
    const kept = await page.evaluate(`[
      location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage),
      document.documentElement.outerHTML,
    ].join()`);
    expect(kept).not.toContain(key);
    expect(addresses.join()).not.toContain(key);
    expect(serving.said()).not.toContain(key);
    await page.reload();
    await page.locator('details.operation').first().waitFor();
    expect(await page.locator('#key-input').inputValue()).toBe('');
    expect(await page.locator('#indicator-name').isDisabled()).toBe(true);
  });

  it('draws an indicator: a line with its gaps, its attribution and the same as a table', async () => {
    const { page, faults } = await openPage();
    await enterKey(page);
    await draw(page, 'us.cpi.headline');
    const { data } = history.parse(await ask('/api/macro/historical?indicator=us.cpi.headline'));
    const values = data.observations.map(({ value }) => value);
    const runs = values.filter((value, at) => value !== null && (values[at - 1] ?? null) === null);
    expect(runs.length).toBeGreaterThan(1);
    const line = (await page.locator('svg.plot path.line').getAttribute('d')) ?? '';
    expect(line.match(/M/g)).toHaveLength(runs.length);
    expect(line.match(/L/g)).toHaveLength(values.filter((value) => value !== null).length);
    expect(await page.locator('.attribution').innerText()).toBe(data.attribution);
    await page.getByText('observations as a table').click();
    const cells = await page.locator('figure tbody tr').allInnerTexts();
    expect(cells).toEqual(
      data.observations.map(
        ({ date, value }) =>
          `${date}\t${value?.toLocaleString('en-US', { maximumFractionDigits: 6 }) ?? '–'}`,
      ),
    );
    expect(faults).toEqual([]);
  });

  it('puts ticks around every value, and dates in order below', async () => {
    const { page } = await openPage();
    await enterKey(page);
    for (const indicator of ['us.nonfarm_payrolls', 'us.yield_curve.10y_2y', 'us.gdp.real']) {
      await draw(page, indicator);
      const { data } = history.parse(await ask(`/api/macro/historical?indicator=${indicator}`));
      const values = data.observations.flatMap(({ value }) => value ?? []);
      const labels = await page.locator('.tick text').allTextContents();
      const ticks = labels.filter(
        (label) => /^-?[\d,.]+$/.test(label) && !/^(19|20)\d\d$/.test(label),
      );
      const numbers = ticks.map((label) => Number(label.replaceAll(',', '')));
      expect(numbers[0]).toBeLessThanOrEqual(Math.min(...values));
      expect(numbers.at(-1)).toBeGreaterThanOrEqual(Math.max(...values));
      expect(new Set(numbers).size).toBe(numbers.length);
      const dates = labels.slice(ticks.length).map((label) => Date.parse(label));
      expect(dates.length).toBeGreaterThan(1);
      expect(dates).toEqual([...dates].sort((a, b) => a - b));
    }
  });

  it('marks a plot as passing while another one is read', async () => {
    const { page } = await openPage();
    await enterKey(page);
    await draw(page, 'us.nonfarm_payrolls');
    const figure = page.locator('#indicator-figure');
    expect(await figure.getAttribute('aria-busy')).toBe('false');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/indicator=us\.gdp\.real/, async (route) => {
      await held;
      await route.continue();
    });
    const drawn = draw(page, 'us.gdp.real');
    await page.locator('#indicator-figure[aria-busy=true]').waitFor();
    expect(await figure.locator('> .said').innerText()).toContain('PAYEMS');
    release();
    await drawn;
  });

  it.each([
    ['one value', '2025-09-01', '2025-09-01', true],
    ['a value and a gap', '2025-09-01', '2025-10-01', true],
    ['a gap alone', '2025-10-01', '2025-10-01', false],
    ['nothing', '1850-01-01', '1850-12-31', false],
  ])('copes with a range of %s', async (_, start, end, hasLine) => {
    const { page, faults } = await openPage();
    await enterKey(page);
    await page.locator('#indicator-name').selectOption('us.cpi.headline');
    await page.locator('#indicator-start').fill(start);
    await page.locator('#indicator-end').fill(end);
    await page.getByRole('button', { name: /^Draw/ }).click();
    await page.locator('figure .attribution').waitFor();
    const line = page.locator('svg.plot path.line');
    expect(await line.count()).toBe(hasLine ? 1 : 0);
    // A value by itself is a line without length, whose round ends show it.
    if (hasLine) expect(await line.getAttribute('d')).toMatch(/^M([\d.]+ [\d.]+)L\1$/);
    else expect(await page.locator('.frame').innerText()).toMatch(/^No observation/);
    expect(faults).toEqual([]);
  });

  it('is read point by point with the keyboard', async () => {
    const { page } = await openPage();
    await enterKey(page);
    await draw(page, 'us.cpi.headline');
    const { data } = history.parse(await ask('/api/macro/historical?indicator=us.cpi.headline'));
    const slider = page.getByRole('slider', { name: 'Observation' });
    await slider.focus();
    const gap = data.observations.findLastIndex(({ value }) => value === null);
    for (let at = data.observations.length - 1; at > gap; at -= 1)
      await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toContain('no value');
    expect(await page.locator('.dot').getAttribute('visibility')).toBe('hidden');
    await page.keyboard.press('Home');
    const first = data.observations[0]?.value?.toLocaleString('en-US', {
      maximumFractionDigits: 6,
    });
    expect(await page.locator('.reading').innerText()).toContain(`: ${first}`);
    expect(
      await page.getByRole('img', { name: /Consumer Price Index/ }).getAttribute('aria-labelledby'),
    ).toContain('plot-summary');
    expect(await page.locator('#plot-summary').textContent()).toMatch(
      /60 observations.*Lowest.*highest.*latest.*shown as gaps/i,
    );
  });

  it('shows hostile words as words', async () => {
    const { page, faults } = await openPage();
    await enterKey(page);
    await draw(page, 'us.cpi.core');
    expect(await page.locator('figure h3').innerText()).toBe(HOSTILE);
    expect(await page.locator('img, body script').count()).toBe(0);
    expect(await page.title()).toBe('QuantShelf');
    expect(faults).toEqual([]);
  });

  it('tries every operation with its example, and prints the answer and the command', async () => {
    const { page, faults } = await openPage();
    await enterKey(page);
    for (const operation of operations) {
      const part = page.locator('details.operation', { hasText: operation.title }).first();
      await part.locator('summary').click();
      await part.getByRole('button', { name: /^Send/ }).click();
      await part.locator('pre.body:not([hidden])').waitFor();
      expect(await part.getByRole('status').innerText(), operation.name).toMatch(
        /^200 · \d+ ms · \d credits? used/,
      );
      expect(await part.locator('pre.body').innerText()).toContain('"remainingCredits"');
      expect(await part.locator('pre.command').innerText()).toContain("curl 'http://127.0.0.1:");
    }
    expect(faults).toEqual([]);
  });

  it('shows the words of an error', async () => {
    const { page } = await openPage();
    await enterKey(page);
    const part = page.locator('details.operation', { hasText: '/api/macro/historical' });
    await part.locator('summary').click();
    await part.getByLabel('limit').fill('501');
    await part.getByRole('button', { name: /^Send/ }).click();
    await expect.poll(() => part.getByRole('status').innerText()).toMatch(/^400 .*from 1 to 500/);
  });

  describe.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['on a phone', { viewport: PHONE }],
  ])('%s', (name, options) => {
    it('fits its width, and axe finds nothing against it', async () => {
      const { page } = await openPage(options);
      await enterKey(page);
      await draw(page, 'us.nonfarm_payrolls');
      for (const summary of await page.locator('summary').all()) await summary.click();
      await page.getByRole('button', { name: /^Send/ }).first().click();
      await page.locator('pre.body:not([hidden])').waitFor();
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      await page.evaluate(AXE);
      const found = violations.parse(await page.evaluate('axe.run().then((r) => r.violations)'));
      const told = found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      expect(told).toEqual([]);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      const [red] = z
        .tuple([z.string()])
        .rest(z.string())
        .parse(/\d+/.exec(String(ground)));
      expect(Number(red) < 128, name).toBe(name === 'dark');
    });
  });
});
