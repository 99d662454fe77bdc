import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../../src/operations.ts';
import { describeInBrowser } from '../browser.ts';
import { type Browsing, draw, enterKey, openTool, send, startBrowsing } from './browsing.ts';

const HOSTILE = '<img src=x onerror="document.title=\'hurt\'"><script>document.title=1</script>';
describeInBrowser('the page', () => {
  let browsing: Browsing;

  beforeAll(async () => {
    browsing = await startBrowsing(
      `UPDATE macro_series SET title = '${HOSTILE.replaceAll("'", "''")}' WHERE indicator = 'us.cpi.core'`,
    );
  });

  afterAll(() => browsing.stop());

  it('names every tool with its route and its price, from this server alone', async () => {
    const { page, faults, addresses } = await browsing.open();
    const forms = page.locator('details.operation');
    for (const [at, { name, method, path, price }] of operations.entries()) {
      const summary = await forms.nth(at).locator('summary').first().innerText();
      expect(summary).toContain(name);
      expect(summary).toContain(`${method} ${path}`);
      const button = await forms.nth(at).locator('form button').textContent();
      expect(button).toContain(price === 0 ? 'free' : `${price} credit`);
    }
    expect(addresses.filter((address) => !address.startsWith(`${browsing.url}/`))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('says what is wrong with a key, and how to mend it', async () => {
    const { page } = await browsing.open();
    for (const [text, says] of [
      ['qs_nobody', /unknown or was revoked.*keys list/],
      ['ключ', /letters and digits only/],
      ['', /A key is needed/],
    ] as const) {
      await enterKey(page, text);
      await expect.poll(() => page.locator('#key-status').innerText()).toMatch(says);
    }
    await enterKey(page, browsing.key);
    await expect.poll(() => page.locator('#key-status').innerText()).toBe('The key works.');
  });

  it('forgets the key: it stands in no address, no store and no markup', async () => {
    const { page, addresses } = await browsing.enter();
    await draw(page, 'us.cpi.headline');
    const kept = await page.evaluate(`[
      location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage),
      document.documentElement.outerHTML,
    ].join()`);
    expect(kept).not.toContain(browsing.key);
    expect(addresses.join()).not.toContain(browsing.key);
    expect(browsing.said()).not.toContain(browsing.key);
    await page.reload();
    await page.locator('details.operation').first().waitFor();
    expect(await page.locator('#key').inputValue()).toBe('');
    expect(await page.locator('#first option').count()).toBe(0);
  });

  it('sends the example of every tool, and shows what an agent gets: drawn and raw', async () => {
    const { page, faults } = await browsing.enter();
    for (const { name } of operations) {
      const form = await openTool(page, name);
      await send(form);
      expect(await form.getByRole('status').innerText(), name).toMatch(/^200 · .* credits? used/);
      expect(await form.locator('.answer h3').innerText(), name).not.toBe('');
      const raw = form.locator('pre.raw');
      expect(await raw.isVisible()).toBe(false);
      await form.getByText('Raw answer').click();
      expect(await raw.textContent()).toContain('"remainingCredits"');
    }
    expect(faults).toEqual([]);
  });

  it('goes on from an answer: reads a section of a paper, and comes back', async () => {
    const { page } = await browsing.enter();
    const form = await openTool(page, 'paper_search');
    await send(form);
    const card = form.locator('article').first();
    for (const link of await card.getByRole('link').all()) {
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/arxiv\.org\/(abs|pdf)\/\d/);
      expect(await link.getAttribute('rel')).toContain('noopener');
    }
    const title = await card.locator('h4').innerText();
    await card.getByText('5 sections').click();
    await card.getByRole('button', { name: 'Method free' }).click();
    await form.locator('h3', { hasText: title }).waitFor();
    await form.getByRole('button', { name: 'Back to the list' }).click();
    expect(await form.locator('article').count()).toBe(3);
  });

  it('shows the words of an error', async () => {
    const { page } = await browsing.enter();
    const form = await openTool(page, 'macro_indicator_history');
    await form.getByLabel('limit').fill('501');
    await send(form);
    expect(await form.getByRole('alert').innerText()).toMatch(/from 1 to 500/);
    expect(await form.getByRole('status').innerText()).toBe('400');
    await page.route(/paper\/search/, (route) => route.abort());
    const papers = await openTool(page, 'paper_search');
    await send(papers);
    expect(await papers.getByRole('alert').innerText()).toContain('Is it still running?');
  });

  it('draws an indicator, and two with an axis for each unit', async () => {
    const { page, faults } = await browsing.enter();
    const chart = page.locator('#chart-answer');
    await draw(page, 'us.cpi.headline');
    await chart.getByRole('button', { name: /^Refresh/ }).waitFor();
    await draw(page, 'us.unemployment_rate', 'us.nonfarm_payrolls');
    expect(await chart.locator('.unit').allInnerTexts()).toEqual([
      'Percent, left axis',
      'Thousands of Persons, right axis',
    ]);
    expect(await chart.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^Unemployment Rate: [\d.]+, Percent, \w+ 2026.*; All Employees, Total Nonfarm: [\d,]+, /,
    );
    expect(await chart.locator('.source').allInnerTexts()).toHaveLength(2);
    expect(await page.locator('#chart-status').innerText()).toMatch(/^2 credits used, /);
    await chart.getByText('rows as a table').click();
    await chart.locator('thead th').first().waitFor();
    expect(await chart.locator('thead th').allInnerTexts()).toEqual([
      'Period',
      'Unemployment Rate',
      'All Employees, Total Nonfarm',
    ]);
    await draw(page, 'us.yield.2y', 'us.yield.10y');
    expect(await chart.locator('.unit').allInnerTexts()).toEqual(['Percent', 'Percent']);
    expect(faults).toEqual([]);
  });

  it('tells the price of a chart', async () => {
    const { page } = await browsing.enter();
    const button = page.getByRole('button', { name: /^Draw/ });
    expect(await button.innerText()).toContain('1 credit');
    await page.locator('#second').selectOption('us.gdp.real');
    expect(await button.innerText()).toContain('2 credits');
  });

  it('shows hostile words as words, and leaves no way for text to become part of it', async () => {
    const { page, faults } = await browsing.enter();
    await draw(page, 'us.cpi.core');
    expect(await page.locator('#chart-answer h3').innerText()).toBe(HOSTILE);
    expect(await page.title()).toBe('QuantShelf');
    expect(faults).toEqual([]);
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
  });
});
