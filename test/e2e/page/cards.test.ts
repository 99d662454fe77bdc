import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { describeInBrowser } from '../browser.ts';
import { type Browsing, draw, searchEvents, searchPapers, startBrowsing } from './browsing.ts';

const QUESTION = 'rough volatility';
const event = z.object({
  title: z.string(),
  markets: z.array(z.object({ outcomes: z.array(z.object({ label: z.string() })) })),
});

describeInBrowser('the cards of the page', () => {
  let browsing: Browsing;

  beforeAll(async () => {
    browsing = await startBrowsing();
  });

  afterAll(() => browsing.stop());

  it('shows papers: who, when, where, what about, and how well they answer', async () => {
    const { page, faults } = await browsing.enter();
    await searchPapers(page, QUESTION);
    const answers = page.locator('#paper-answers');
    expect(await answers.locator('> .verdict').innerText()).toMatch(/^(Strong|Weak) match: /);
    expect(await answers.locator('> .notice').innerText()).toMatch(/^Note: .*starter shelf/);
    const card = answers.locator('article.card').first();
    expect(await card.getByRole('heading').innerText()).toMatch(/volatility/i);
    expect(await card.locator('.authors').innerText()).toMatch(/\w+ \w+/);
    expect(await card.locator('.facts').innerText()).toMatch(
      /^\d+ \w+ 20\d\d · q-fin\.\w+ · version \d+ · score 0\.\d\d · arXiv \d{4}\.\d{5} · PDF$/,
    );
    for (const link of await card.getByRole('link').all()) {
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/arxiv\.org\/(abs|pdf)\/\d/);
      expect(await link.getAttribute('rel')).toContain('noopener');
    }
    expect(await card.locator('.tags li').allInnerTexts()).toContain('rough volatility');
    expect(await page.locator('#paper-said').innerText()).toMatch(/^5 papers\. 1 credit used\.$/);
    expect(faults).toEqual([]);
  });

  it('reads a section where it stands, once, and without a credit', async () => {
    const { page, addresses } = await browsing.enter();
    await searchPapers(page, QUESTION);
    const card = page.locator('#paper-answers article.card').first();
    const balance = await page.locator('#balance').innerText();
    await card.locator('.sections > summary').click();
    const method = card.locator('.section', { hasText: 'Method' });
    const reads = () => addresses.filter((each) => each.endsWith('/api/paper/read')).length;
    for (let click = 0; click < 3; click += 1) await method.locator('summary').click();
    await expect.poll(() => method.locator('.text').innerText()).toMatch(/^\w.{60}/);
    expect(reads()).toBe(1);
    expect(await page.locator('#balance').innerText()).toBe(balance);
  });

  it('says plainly that nothing matches', async () => {
    const { page } = await browsing.enter();
    await searchPapers(page, 'zzyzx quux');
    expect(await page.locator('#paper-answers > .verdict').innerText()).toMatch(/^No match: /);
    expect(await page.locator('#paper-answers article').count()).toBe(0);
  });

  it('shows events: a bar for each outcome, the likeliest first, and the day of the snapshot', async () => {
    const { page, faults } = await browsing.enter();
    await searchEvents(page, 'fed rate cuts');
    const cards = page.locator('#event-answers article.card');
    const raw = await page.locator('#event-answers pre.body').textContent();
    const { events } = z
      .object({ data: z.object({ events: z.array(event) }) })
      .transform(({ data }) => data)
      .parse(JSON.parse(raw ?? ''));
    expect(events.length).toBeGreaterThan(1);
    for (const [at, { title, markets }] of events.entries()) {
      const card = cards.nth(at);
      expect(await card.getByRole('heading').innerText()).toBe(title);
      expect(await card.locator('.facts').first().innerText()).toMatch(
        /^Active when seen Snapshot of \d+ \w+ 20\d\d Ended \d+ \w+ 20\d\d$/,
      );
      expect(await card.locator('.facts').nth(1).innerText()).toMatch(
        /^Volume \$[\d.]+[KMB]? · Liquidity \$[\d.]+[KMB]? · Score [\d.]+ · polymarket\.com$/,
      );
      const outcomes = markets.length === 1 ? (markets[0]?.outcomes.length ?? 0) : markets.length;
      const chances = await card.locator('.bars .chance').allTextContents();
      expect(chances).toHaveLength(outcomes);
      const numbers = chances.map((text) => Number(text.replace(/[<>%]/g, '')));
      expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
      const widths = await Promise.all(
        (await card.locator('.fill').all()).map((bar) => bar.getAttribute('width')),
      );
      for (const [bar, width] of widths.entries()) {
        expect(Math.abs(Number(width) - (numbers[bar] ?? -1))).toBeLessThan(0.5);
      }
    }
    expect(faults).toEqual([]);
  });

  it('marks stale figures in words, and says what the source must be called', async () => {
    // No agency answers there.
    const online = await startBrowsing('', { QUANTSHELF_OFFLINE: '0' });
    onTestFinished(() => online.stop());
    const { page } = await online.enter();
    await draw(page, ['us.nonfarm_payrolls']);
    const source = page.locator('#indicator-figure .sources');
    expect(await source.locator('.mark.stale').innerText()).toMatch(/^Stale: /);
    expect(await source.innerText()).toMatch(
      /us\.nonfarm_payrolls · PAYEMS · Monthly · Thousands of Persons[\s\S]*As of \d+ \w+ 20\d\d\. Source: U\.S\. Bureau of Labor Statistics\.[\s\S]*Note: /,
    );
    const { page: held } = await browsing.enter();
    await draw(held, ['us.nonfarm_payrolls']);
    expect(await held.locator('.mark.stale').count()).toBe(0);
  });
});
