import type { Frame } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { CPI, EVENT, instead, PAPERS, SEARCH, useHost } from './fixture.ts';
import { call } from './host/driver.ts';

/** The sum of red, green and blue behind the view. */
async function brightnessOf(view: Frame): Promise<number> {
  const ground = await view.evaluate('getComputedStyle(document.body).backgroundColor');
  const parts = String(ground).match(/\d+/g)?.slice(0, 3).map(Number) ?? [];
  expect(parts).toHaveLength(3);
  return parts.reduce((sum, part) => sum + part, 0);
}

describeInBrowser(() => {
  const { show, ask, callTool } = useHost();

  it('a view says that it is waiting for its reply, and later that the call was cancelled', async () => {
    const { view, page } = await show({ ...CPI, isOpen: true });
    await view.getByText('Waiting for the reply…').waitFor();
    expect(await view.locator('#view').getAttribute('aria-busy')).toBe('true');
    await call(page, 'cancel', 'the user changed his mind');
    await view.getByText('Cancelled: the user changed his mind').waitFor();
  });

  it("a view starts in the host's theme, and follows its changes", async () => {
    for (const showing of [CPI, PAPERS]) {
      // The system's theme is the opposite one.
      const { view, page } = await show({ ...showing, theme: 'light' }, { colorScheme: 'dark' });
      expect(await brightnessOf(view)).toBeGreaterThan(600);
      await call(page, 'setContext', { theme: 'dark' });
      await expect.poll(() => brightnessOf(view)).toBeLessThan(150);
      const variables = { '--color-background-primary': 'rgb(10, 20, 60)' };
      await call(page, 'setContext', { theme: 'dark', styles: { variables } });
      await expect.poll(() => brightnessOf(view)).toBe(90);
      await call(page, 'setContext', { theme: 'light', styles: { variables: {} } });
      const scheme = () => view.evaluate('document.documentElement.style.colorScheme');
      await expect.poll(scheme).toBe('light');
    }
  });

  it('a view offers only what the host can do, and reports a height at which nothing is cut off', async () => {
    for (const showing of [CPI, SEARCH, PAPERS]) {
      const { view } = await show({ ...showing, capabilities: {} });
      expect(await view.getByRole('button', { name: /credit|free/ }).count()).toBe(0);
      expect(await view.locator('button.link').count()).toBe(0);
      const hidden = 'document.documentElement.scrollHeight - innerHeight';
      await expect.poll(() => view.evaluate(hidden)).toBeLessThanOrEqual(0);
    }
  });

  it('a view enters and leaves full screen, and follows the host into it', async () => {
    const { view, page } = await show(PAPERS);
    await view.getByText('More', { exact: true }).click();
    await view.getByRole('button', { name: 'Full screen', exact: true }).click();
    await view.getByRole('button', { name: 'Leave full screen' }).click();
    await view.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
    await call(page, 'setContext', { theme: 'light', displayMode: 'fullscreen' });
    await view.getByRole('button', { name: 'Leave full screen' }).waitFor();
  });

  it('a view keeps its content when a call fails, and states the reason', async () => {
    const excess: typeof callTool = (name, args) => callTool(name, { ...args, limit: 501 });
    const { view } = await show({ ...CPI, onCall: excess });
    await view.getByText('More', { exact: true }).click();
    await view.getByRole('button', { name: 'Refresh 1 credit' }).click();
    await view.getByRole('status').getByText('from 1 to 500').waitFor();
    expect(await view.locator('path.line').count()).toBe(1);
    const refuse = () => Promise.reject(new Error('The user said no.'));
    const refused = await show({ ...EVENT, onCall: refuse });
    await refused.view.getByText('More', { exact: true }).click();
    await refused.view.getByRole('button', { name: 'Refresh free' }).click();
    await refused.view.getByRole('status').getByText('The user said no.').waitFor();
    expect(await refused.view.locator('tbody tr').count()).toBe(9);
  });

  it('a view keeps its content when a reply cannot be drawn', async () => {
    const odd = { structuredContent: { data: { markets: 7, title: 'x' }, meta: {} }, content: [] };
    const { view } = await show({ ...SEARCH, onCall: async () => odd });
    await view.getByRole('button', { name: 'Read this event free' }).first().click();
    await view.getByRole('status').getByText('cannot be drawn').waitFor();
    expect(await view.locator('article').count()).toBe(3);
  });

  it('a view explains an error to the user, and opens the suggested item', async () => {
    const { view, calls } = await show({ ...CPI, args: { indicator: 'us.cpi.hedline' } });
    expect(await view.getByRole('alert').innerText()).toBe('No such indicator. Try');
    expect(await view.getByRole('button', { name: /screen/ }).count()).toBe(0);
    await view.getByText('Note to the assistant').click();
    await view.getByText('macro_indicator_search').waitFor();
    await view.getByRole('button', { name: 'us.cpi.headline' }).click();
    await view.locator('path.line').waitFor();
    expect(calls).toHaveLength(1);
  });

  it('a view draws a reply that the host passes on as text, and reports one that cannot be drawn', async () => {
    const text = JSON.stringify(await ask(CPI));
    const { view } = await show({ ...CPI, result: { content: [{ type: 'text', text }] } });
    expect(await view.locator('path.line').count()).toBe(1);
    const odd = instead(CPI, { data: { observations: 7 }, meta: {} });
    for (const showing of [{ ...CPI, result: { content: [] } }, odd]) {
      const empty = await show(showing);
      const message = await empty.view.locator('.message.bad').innerText();
      expect(message).toMatch(/nothing that can be drawn|cannot be drawn/);
    }
  });

  it("a view answers the host's teardown request", async () => {
    const { page } = await show(CPI);
    expect(await call(page, 'teardown', {})).toEqual({});
  });
});
