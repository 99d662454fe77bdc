import { expect, it } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { instead, PAPERS, useHost } from './fixture.ts';

const PAPER = { tool: 'paper_read', args: { paperCardId: '2510.23150', sections: ['abstract'] } };

describeInBrowser(() => {
  const { show, ask } = useHost();

  it('a list of papers shows authors, dates and links, and topics that start a search', async () => {
    const { view, calls } = await show(PAPERS);
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
    const note = view.locator('details', { hasText: 'Note to the assistant' }).locator('p');
    expect(await note.isVisible()).toBe(false);
    await view.getByText('More', { exact: true }).click();
    await view.getByText('Note to the assistant').click();
    expect(await note.isVisible()).toBe(true);
    await view.getByRole('button', { name: 'rough volatility' }).first().click();
    await view.getByRole('button', { name: 'Back', exact: true }).waitFor();
    expect(calls).toEqual([{ name: 'paper_search', args: { query: 'rough volatility', topK: 5 } }]);
  });

  it('the view of papers opens a digest free of charge, and tells the model which section the user reads', async () => {
    const { view, calls, told } = await show(PAPERS);
    const card = view.locator('article').first();
    const title = await card.locator('h2').innerText();
    await card.getByRole('button', { name: /^Read the .* free$/ }).click();
    await view.locator('h1', { hasText: title }).waitFor();
    expect(calls.map(({ name }) => name)).toEqual(['paper_read']);
    await view.getByRole('button', { name: 'Method' }).click();
    await view.locator('.text[aria-label=Method]').waitFor();
    expect(await view.locator('.text').innerText()).toMatch(/^\w.{60}/);
    const args = { paperCardId: expect.any(String), sections: ['s02-method'] };
    expect(calls[1]).toEqual({ name: 'paper_read', args });
    expect(await view.getByText(/^No credits used, /).count()).toBe(1);
    await expect.poll(() => told.join()).toMatch(/is reading the paper ".*sections: Method\.$/);
    await view.getByRole('button', { name: 'Back', exact: true }).click();
    await view.getByRole('button', { name: 'Back', exact: true }).click();
    expect(await view.locator('article').count()).toBe(3);
    expect(calls).toHaveLength(2);
  });

  it('the view of a paper shows the sections beside the contents, and copies its BibTeX even if the host blocks the clipboard', async () => {
    const { page, view } = await show(PAPER);
    expect(await view.locator('h1').innerText()).toMatch(/Trend Premia/);
    expect(await view.locator('.text').count()).toBe(1);
    expect(await view.locator('nav.contents button').count()).toBe(5);
    await view.getByText('More', { exact: true }).click();
    await view.locator('summary', { hasText: 'BibTeX' }).click();
    expect(await view.locator('pre').innerText()).toMatch(/^@misc\{etienne2025/);
    await view.getByRole('button', { name: 'Copy BibTeX' }).click();
    await view.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^@misc\{etienne2025/);
  });

  it('the view of a paper draws formulas as MathML, except for invalid or unsafe TeX', async () => {
    const args = { ...PAPER.args, sections: ['s02-method'] };
    const { view } = await show({ ...PAPER, args });
    await view.locator('.text math').first().waitFor();
    expect(await view.locator('.text math[display=block] mtr').count()).toBe(3);
    const rest = await view.evaluate(`(() => {
      const text = document.querySelector('.text').cloneNode(true);
      for (const math of text.querySelectorAll('math')) math.replaceWith('…');
      return text.innerHTML;
    })()`);
    expect(rest).toBe(
      [
        String.raw`From $5 million to US$ 6, \$7$ and ${'`$code$`'}: ….`,
        String.raw`…$\href{javascript:alert(1)}{x}$ … …`,
        String.raw`$\def\a{\a\a}\a$ $\nosuch$ $${'{'.repeat(900)}$`,
        String.raw`… $\rule{1000000em}{1000000em}$ $\hspace{99999em}x$`,
        String.raw`$\hspace{9in}x$ $\kern{-30em}x$ $${'\\kern{-2em}'.repeat(3)}x$ $\raisebox{-50pt}{x}$ $\colorbox{red}{x}$`,
      ].join('\n'),
    );
    expect(await view.locator('math', { hasText: 'y' }).innerHTML()).not.toMatch(/colou?r|red/);
  });

  it("the view of a paper draws a section's formulas when the section is opened, up to 30,000 elements in all", async () => {
    const reply = await ask(PAPER);
    const matrix = (columns: number) => `$\\begin{matrix}${'&'.repeat(columns)}\\end{matrix}$`;
    const content = [1_900, ...Array(10).fill(900)].map(matrix).join(' ');
    const section = { ...reply.data.sections[0], content };
    const sections = [section, { ...section, section_key: 's02-method', title: 'Method' }];
    const data = { ...reply.data, sections };
    const { view } = await show(instead(PAPER, { ...reply, data }));
    const texts = view.locator('.text');
    await expect.poll(() => texts.first().locator('math').count()).toBe(10);
    expect(await texts.first().innerText()).toContain(matrix(1_900));
    expect(await texts.last().locator('math').count()).toBe(0);
    await view.getByRole('button', { name: 'Method' }).click();
    await expect.poll(() => texts.last().locator('math').count()).toBe(6);
    expect(await view.locator('math *').count()).toBeLessThan(30_000);
  });
});
