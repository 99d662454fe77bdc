import { statSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { type Browsing, enterKey, goTo, search, startBrowsing, type Tab } from './browsing.ts';

const HOSTILE = '<img src=x onerror="document.title=\'hurt\'"><script>document.title=1</script>';

describeInBrowser(() => {
  let browsing: Browsing;
  let tab: Tab;

  beforeAll(async () => {
    browsing = await startBrowsing(
      `UPDATE macro_series SET title = '${HOSTILE.replaceAll("'", "''")}' WHERE indicator = 'us.cpi.core'`,
    );
    tab = await browsing.enter();
  });

  beforeEach(() => {
    tab.faults.length = 0;
  });

  afterAll(() => browsing.stop());

  it('the page asks for a key if the link has none, and explains a wrong one', async () => {
    const { page } = await browsing.open();
    await page.locator('#key-form').waitFor();
    for (const [text, says] of [
      ['qs_nobody', /unknown or was revoked.*keys list.*keys create NAME/],
      ['ключ', /only letters and digits/],
      ['', /needs a key/],
    ] as const) {
      await enterKey(page, text);
      await expect.poll(() => page.locator('#key-status').innerText()).toMatch(says);
    }
    await enterKey(page, browsing.key);
    await page.locator('#key-form').waitFor({ state: 'hidden' });
    expect(await page.locator('#key-status').innerText()).toBe('');
  });

  it('the server prints no link to a log that is not a terminal', () => {
    expect(browsing.said()).not.toMatch(/open http|page_/);
  });

  it('the page keeps the key out of its address, storage and markup', async () => {
    const { page, addresses } = await browsing.enter();
    await goTo(page, 'indicator=us.cpi.headline');
    const kept = await page.evaluate(`[
      location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage),
      document.documentElement.outerHTML,
    ].join()`);
    expect(kept).not.toContain(browsing.key);
    expect(addresses.join()).not.toContain(browsing.key);
    expect(addresses.filter((address) => !address.startsWith(`${browsing.url}/`))).toEqual([]);
    expect(browsing.said()).not.toContain(browsing.key);
    await page.reload();
    await page.locator('#key-form').waitFor();
    expect(await page.locator('#key').inputValue()).toBe('');
  });

  it('the page searches all three areas at once, and keeps the search in the address', async () => {
    const { page, faults } = tab;
    await search(page, 'fed funds rate');
    expect(new URL(page.url()).hash).toBe('#q=fed+funds+rate');
    const titles = await page.locator('#found section h3').allInnerTexts();
    const areas = ['Indicators', 'Odds', 'Papers'];
    expect(titles).toEqual(areas.map((area) => `${area}: fed funds rate`));
    for (const link of await page.locator('article').getByRole('link').all()) {
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/arxiv\.org\/(abs|pdf)\/\d/);
      expect(await link.getAttribute('rel')).toContain('noopener');
    }
    expect(faults).toEqual([]);
  });

  it('the page opens an indicator from its search results, and returns to them', async () => {
    const { page } = tab;
    await search(page, 'unemployment rate');
    const first = page.locator('#found section').first();
    await first.getByRole('button', { name: 'Draw 1 credit' }).first().click();
    await first.locator('path.line').waitFor();
    expect(page.url()).toContain('#indicator=us.');
    await first.getByRole('button', { name: 'Back', exact: true }).click();
    await first.getByRole('button', { name: 'Draw 1 credit' }).first().waitFor();
  });

  it('the page draws two indicators with an axis for each unit', async () => {
    const { page, faults } = tab;
    await goTo(page, 'indicator=us.unemployment_rate');
    await page.getByLabel('Second indicator').fill('us.nonfarm_payrolls');
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect.poll(() => page.locator('.reader path.line').count()).toBe(2);
    const units = ['left axis', 'persons, right axis'];
    expect(await page.locator('.unit').allInnerTexts()).toEqual(units);
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^Unemployment Rate [\d.]+ % left axis \w+ 2026.*; All Employees, Total Nonfarm [\d.]+ million persons, /,
    );
    expect(await page.locator('.source').innerText()).toContain('Bureau of Labor Statistics');
    await page.getByText('More', { exact: true }).click();
    await page.getByText('rows as a table').click();
    await page.locator('thead th').first().waitFor();
    const heads = ['Period', 'Unemployment Rate', 'All Employees, Total Nonfarm'];
    expect(await page.locator('thead th').allInnerTexts()).toEqual(heads);
    await page.getByLabel('Form').selectOption('year');
    await page.getByText('points').first().waitFor();
    expect(faults).toEqual([]);
  });

  it("the page saves the chart's figures as CSV and its picture as PNG", async () => {
    const { page, faults } = tab;
    await goTo(page, 'indicator=us.cpi.headline');
    await page.getByText('More', { exact: true }).click();
    for (const [name, file] of [
      ['Figures as CSV', 'us.cpi.headline.csv'],
      ['Picture as PNG', 'us.cpi.headline.png'],
    ] as const) {
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      const download = await coming;
      expect(download.suggestedFilename()).toBe(file);
      expect(statSync(await download.path()).size).toBeGreaterThan(5_000);
    }
    expect(faults).toEqual([]);
  });

  it('the page shows the call and reply that an agent would see, and sends an edited call', async () => {
    const { page } = tab;
    await goTo(page, 'indicator=us.gdp.real');
    await page.getByText('Raw call and reply').click();
    expect(await page.getByLabel('Call').inputValue()).toContain('"macro_indicator_history"');
    const reply = page.getByRole('region', { name: 'Reply' });
    expect(await reply.innerText()).toContain('"remainingCredits"');
    await page
      .getByLabel('Call')
      .fill('{"tool": "macro_indicator_history", "arguments": {"limit": 501, "indicator": "x"}}');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => reply.innerText()).toMatch(/^400[\s\S]*from 1 to 500/);
  });

  it('the page says so if the server does not answer', async () => {
    const { page } = await browsing.enter();
    await page.route(/paper\/search/, (route) => route.abort());
    await search(page, 'volatility');
    await page.getByRole('alert').getByText('Is it still running?').waitFor();
  });

  it('the page shows hostile markup as text, and lets no script insert any', async () => {
    const { page, faults } = tab;
    await goTo(page, 'indicator=us.cpi.core');
    expect(await page.locator('#found h3').innerText()).toBe(HOSTILE);
    expect(await page.title()).toBe('QuantShelf');
    expect(faults).toEqual([]);
    const attempt = `(() => { try { document.body.innerHTML = ''; } catch (e) { return e.name; } })()`;
    expect(await page.evaluate(attempt)).toBe('TypeError');
  });
});
