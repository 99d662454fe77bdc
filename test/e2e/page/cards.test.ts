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
    await page.locator('#event-answers .raw > summary').click();
    const body = page.locator('#event-answers pre.body', { hasText: '"remainingCredits"' });
    const raw = await body.textContent();
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

  it('names the sections that answer best, the winner and the move of a day', async () => {
    const { page } = await browsing.open();
    const told = await page.evaluate(`Promise.all([
      import('/page/papers.js'), import('/page/events.js'),
    ]).then(([{ viewPapers }, { viewEvent }]) => {
      const section = { section_key: 's02-method', title: 'Method', char_count: 10 };
      const card = {
        paperCardId: '1', sourcePaperId: 'arxiv:1404.4944', title: 'T', authors: Array(8).fill('A B'),
        summary: 'S', tags: [], availableSections: [section], fullTextCharCount: 10,
        pdfUrl: 'javascript:alert(1)',
      };
      const match = { paperCardId: '1', score: 0.5, sections: [{ section_key: 's02-method', score: 0.625 }] };
      const event = {
        title: 'E', status: 'closed', coverage_status: 'complete', closed_time: '2026-02-03T04:05:06.000Z',
        volume: 1, liquidity: 1, url: 'https://polymarket.com/event/e', tags: [],
        markets: [{ market_question: 'Up or down?', winning_outcome: 'Up', outcomes: [
          { label: 'Down', current_probability: 0.0004, day_ago_probability: 0.0504 },
          { label: 'Up', current_probability: 0.9996 },
        ] }],
      };
      const parts = [...viewPapers([card], { matches: [match] }), viewEvent(event, {})];
      return parts.map((part) => part.textContent).concat(parts[0].querySelectorAll('a').length);
    })`);
    const [paper, event, links] = z.tuple([z.string(), z.string(), z.number()]).parse(told);
    expect(paper).toContain('Answers best in Method (0.63)');
    expect(paper).toContain('A B and 2 more');
    expect(links).toBe(1);
    expect(event).toMatch(/Closed Closed 3 Feb 2026/);
    expect(event).toMatch(/Up \(came true\)>99\.9%Down<0\.1% −5 points in a day/);
  });
});
