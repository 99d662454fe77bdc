import { expect, it } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { EVENT, instead, SEARCH, useHost } from './fixture.ts';

const BROWSE = { tool: 'prediction_market_event_browse', args: { limit: 8 } };

interface Market {
  market_question: string;
  outcomes: { label: string; current_probability: number }[];
}

describeInBrowser(() => {
  const { show, ask } = useHost();

  it('the view of an event has a bar for each outcome, in order, and marks the likeliest', async () => {
    const { view } = await show(EVENT);
    const { data } = await ask(EVENT);
    const chances = new Map<string, number>(
      data.markets.map(({ market_question, outcomes }: Market): [string, number] => [
        market_question,
        outcomes.find(({ label }) => label === 'Yes')?.current_probability ?? 0,
      ]),
    );
    expect(chances.size).toBeGreaterThan(5);
    const questions = await view
      .locator('tbody th')
      .evaluateAll((heads) => heads.map((head) => head.getAttribute('title') ?? ''));
    expect(questions.toSorted()).toEqual([...chances.keys()].toSorted());
    const labels = await view.locator('tbody .label').allInnerTexts();
    expect(labels.slice(1, 3)).toEqual(['1 (25 bps)', '2 (50 bps)']);
    const likeliest = await view.locator('.likeliest th').getAttribute('title');
    expect(chances.get(likeliest ?? '')).toBe(Math.max(...chances.values()));
    const heads = ['Outcome', 'Chance', 'Volume'];
    expect(await view.locator('thead th').allInnerTexts()).toEqual(heads);
    const widths = await view
      .locator('.fill')
      .evaluateAll((fills) => fills.map((fill) => fill.getAttribute('style')));
    for (const [at, question] of questions.entries()) {
      expect(Number.parseFloat(widths[at]?.slice('width: '.length) ?? '')).toBeCloseTo(
        100 * (chances.get(question) ?? -1),
      );
    }
    const text = await view.locator('body').innerText();
    expect(text).toMatch(/Ended 31 Dec 2025 · \$9\.2M traded/);
    expect(text).toMatch(/Odds from 24 Jun 2025: .* and are not the outcome/);
  });

  it('the view of an event draws the stored odds of the two likeliest outcomes, with their moves over a day and a week', async () => {
    const { data } = await ask(EVENT);
    const history = [0.2, 0.3, 0.25].map((odds, at) => ({ date: `2026-11-2${at}`, odds }));
    const markets = data.markets.map(({ outcomes: [yes, no], ...market }: Market) => {
      const before = yes?.current_probability ?? 0;
      const moved = { day_ago_probability: before - 0.01, week_ago_probability: before + 0.05 };
      return { ...market, history, outcomes: [{ ...yes, ...moved }, no] };
    });
    const reply = { ...(await ask(EVENT)), data: { ...data, markets } };
    const { view } = await show(instead(EVENT, reply));
    expect(await view.locator('.plot .line').count()).toBe(2);
    const readout = view.locator('.chart .reading');
    const both = /^22 Nov 2026\s+2 \(50 bps\) 25 %\s+1 \(25 bps\) 25 %$/;
    expect(await readout.innerText()).toMatch(both);
    await view.getByRole('slider', { name: 'Date' }).press('ArrowLeft');
    expect(await readout.innerText()).toMatch(/^21 Nov 2026\s+2 \(50 bps\) 30 %/);
    const heads = ['Outcome', 'Chance', 'In a day', 'In a week', 'Volume'];
    expect(await view.locator('thead th').allInnerTexts()).toEqual(heads);
    const likeliest = view.locator('tr.likeliest .move');
    expect((await likeliest.allInnerTexts()).slice(0, 2)).toEqual(['+1', '−5']);
  });

  it.each([
    ['settled', { winning_outcome: 'Yes' }, /Settled: Yes\s+Yes\n/],
    ['void', {}, /Void: no outcome won\s+No outcome won\n/],
    ['disputed', {}, /Disputed: the result may change\s+[\d.]+ %\s+chance/],
  ])('the view of a %s event states its status in words', async (status, result, words) => {
    const reply = await ask(EVENT);
    const settlement = { status, ...result };
    const [market] = reply.data.markets;
    const markets = [{ ...market, settlement, status: 'closed' }];
    const data = { ...reply.data, settlement, status: 'closed', markets };
    const { view } = await show(instead(EVENT, { ...reply, data }));
    expect(await view.locator('body').innerText()).toMatch(words);
  });

  it("the view of an event asks the host to open the event's page at its venue", async () => {
    const { view, links } = await show(EVENT);
    await view.getByRole('button', { name: 'Polymarket' }).click();
    const address = 'https://polymarket.com/event/how-many-fed-rate-cuts-in-2025';
    await expect.poll(() => links).toEqual([address]);
  });

  it('the view of a list shows three bars of an event before "Show more", and returns from an event to the list', async () => {
    const { view, calls } = await show(SEARCH);
    expect(await view.locator('h1').innerText()).toBe(`Odds: ${SEARCH.args.query}`);
    expect(await view.locator('article').count()).toBe(3);
    const article = view.locator('article', { hasText: 'How many Fed rate cuts' });
    expect(await article.locator('tbody tr:visible').count()).toBe(3);
    expect(await article.locator('tbody .label').allInnerTexts()).toContain('2 Fed rate cuts');
    await article.getByRole('button', { name: /^Show \d more outcomes/ }).click();
    expect(await article.locator('tbody tr:visible').count()).toBe(9);
    await article.getByRole('button', { name: 'Read this event free' }).click();
    await view.locator('h1', { hasText: 'How many Fed rate cuts' }).waitFor();
    expect(calls.map(({ name }) => name)).toEqual(['prediction_market_event_read']);
    expect(await view.getByRole('status').innerText()).toMatch(/^No credits used, [\d,]+ left\.$/);
    await view.getByRole('button', { name: 'Back', exact: true }).click();
    expect(await view.locator('article').count()).toBe(3);
    expect(calls).toHaveLength(1);
  });

  it('the view of a list shows a yes-or-no question as one figure', async () => {
    const { view } = await show(SEARCH);
    const article = view.locator('article', { hasText: 'Fed rate hike in 2025?' });
    expect(await article.locator('.reading').innerText()).toMatch(/^\d+(\.\d)? %\s+chance/);
    expect(await article.locator('table').count()).toBe(0);
  });

  it('the view of a list keeps its arguments from one page to the next', async () => {
    const { view, calls } = await show(BROWSE);
    expect(await view.locator('article:visible').count()).toBe(5);
    await view.getByRole('button', { name: /^Show \d more events?$/ }).click();
    expect(await view.locator('article:visible').count()).toBeGreaterThan(5);
    const first = await view.locator('article h2').first().innerText();
    await view.getByRole('button', { name: 'Next page 1 credit' }).click();
    await expect.poll(() => view.locator('article h2').first().innerText()).not.toBe(first);
    expect(calls).toEqual([{ name: BROWSE.tool, args: { limit: 8, cursor: expect.any(String) } }]);
  });

  it('the view of a list only names the nearest events, without odds, if none answers the question', async () => {
    const reply = await ask(SEARCH);
    const meta = { ...reply.meta, verdict: 'none' };
    const { view } = await show(instead(SEARCH, { ...reply, meta }));
    const text = await view.locator('body').innerText();
    expect(text).toMatch(/Nothing on the shelf seems to answer this\.\s+The nearest: \w/);
    expect(text).not.toMatch(/%|may have changed/);
    expect(await view.locator('article').count()).toBe(0);
  });

  it('the view of a list says so if no event matches', async () => {
    const { view } = await show({ ...BROWSE, args: { q: 'no such words anywhere' } });
    expect(await view.locator('body').innerText()).toMatch(/No event matches\./);
    expect(await view.locator('table').count()).toBe(0);
    expect(await view.locator('.source').innerText()).toContain('Polymarket');
  });
});
