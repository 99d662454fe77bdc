import { expect, it } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { PAPERS, useHost } from './fixture.ts';

const PAPER = { tool: 'paper_read', args: { paperCardId: '2510.23150', sections: ['abstract'] } };

describeInBrowser('the view of papers', () => {
  const { show } = useHost();

  it('shows who wrote each, when, where it is and what it is about', async () => {
    const { view, faults, requests } = await show(PAPERS);
    expect(await view.locator('h1').innerText()).toBe('Papers: rough volatility');
    expect(await view.locator('article').count()).toBe(3);
    const card = view.locator('article').first();
    expect(await card.locator('h2').innerText()).toMatch(/volatility/i);
    expect(await card.locator('.authors').innerText()).toMatch(/\w+ \w+/);
    expect(await card.locator('.facts').innerText()).toMatch(
      /^\d+ \w+ 20\d\d · q-fin\.\w+ · version \d+ · arXiv \d{4}\.\d{5} · PDF$/,
    );
    expect(await card.locator('.tags li').allInnerTexts()).toContain('rough volatility');
    expect(await view.locator('body').innerText()).toContain('by QuantShelf, not by the authors');
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('keeps the words for the assistant apart', async () => {
    const { view } = await show(PAPERS);
    const note = view.locator('details', { hasText: 'Note to the assistant' }).locator('p');
    expect(await note.isVisible()).toBe(false);
    await view.getByText('Note to the assistant').click();
    expect(await note.isVisible()).toBe(true);
  });

  it('reads a section without a credit, tells the model, and goes back to the list', async () => {
    const { view, calls, told } = await show(PAPERS);
    const card = view.locator('article').first();
    const title = await card.locator('h2').innerText();
    await card.getByText('5 sections').click();
    await card.getByRole('button', { name: 'Method free' }).click();
    await view.locator('h1', { hasText: title }).waitFor();
    expect(await view.locator('.text').innerText()).toMatch(/^\w.{60}/);
    expect(calls).toEqual([
      { name: 'paper_read', args: { paperCardId: expect.any(String), sections: ['s02-method'] } },
    ]);
    expect(await view.getByRole('status').innerText()).toMatch(/^No credits used, /);
    await expect.poll(() => told.join()).toContain(`Method of the paper "${title}"`);
    await view.getByRole('button', { name: 'Back to the list' }).click();
    expect(await view.locator('article').count()).toBe(3);
    expect(calls).toHaveLength(1);
  });

  it('opens the paper in the host', async () => {
    const { view, links } = await show(PAPER);
    await view.getByRole('button', { name: 'PDF' }).click();
    await expect.poll(() => links).toEqual(['https://arxiv.org/pdf/2510.23150v2']);
  });

  it('shows what was read, the other sections and how to cite', async () => {
    const { view, faults } = await show(PAPER);
    expect(await view.locator('h1').innerText()).toMatch(/Trend Premia/);
    expect(await view.locator('.text').count()).toBe(1);
    await view.getByText('Other sections').click();
    expect(await view.locator('.sections button').count()).toBe(4);
    await view.getByText('BibTeX').click();
    expect(await view.locator('pre').innerText()).toMatch(/^@misc\{etienne2025/);
    expect(faults).toEqual([]);
  });

  it('says plainly that nothing matches', async () => {
    const { view } = await show({ ...PAPERS, args: { query: 'zzyzx quux' } });
    expect(await view.locator('body').innerText()).toMatch(
      /No real match[\s\S]*Nothing on the shelf/,
    );
    expect(await view.locator('article').count()).toBe(0);
  });
});
