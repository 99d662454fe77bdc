import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, describeInBrowser } from '../browser.ts';
import { WITH_FORMULAS } from '../views/fixture.ts';
import { type Browsing, enterKey, goTo, overflowsOf, search, startBrowsing } from './browsing.ts';

const NIGHT = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' as const };
/** The title of an indicator and a market question, which cannot be broken into lines. */
const ENDLESS = 'x'.repeat(200);

describeInBrowser(() => {
  let browsing: Browsing;

  beforeAll(async () => {
    browsing = await startBrowsing(`
      UPDATE macro_series SET title = '${ENDLESS}' WHERE indicator = 'us.saving_rate';
      UPDATE market_event SET card = json_set(card, '$.markets[0].market_question', '${ENDLESS}');
      ${WITH_FORMULAS}
    `);
  });

  afterAll(() => browsing.stop());

  /** States of the page in the order in which a user meets them, each showing something new. */
  const states: readonly (readonly [name: string, reach: (page: Page) => Promise<unknown>])[] = [
    ['a search', (page) => search(page, 'saving rate')],
    ['a search without an answer', (page) => search(page, 'zzyzx quux')],
    [
      'two axes and a table',
      async (page) => {
        await goTo(page, 'indicator=us.saving_rate,us.nonfarm_payrolls');
        await page.getByText('More', { exact: true }).click();
        await page.getByText('rows as a table').click();
      },
    ],
    ['an event', (page) => goTo(page, 'event=pme_16085')],
    [
      'a paper with formulas',
      async (page) => {
        await goTo(page, 'paper=2510.23150');
        await page.getByRole('button', { name: 'Method' }).click();
        await page.locator('math').first().waitFor();
      },
    ],
    [
      'an error, and the raw reply',
      async (page) => {
        await goTo(page, 'indicator=us.cpi.hedline');
        await page.getByRole('alert').waitFor();
        await page.getByText('Raw call and reply').click();
      },
    ],
    [
      'waiting',
      async (page) => {
        await page.route(/macro\/historical/, () => {});
        await page.evaluate("location.hash = 'indicator=us.gdp.real'");
        await page.locator('.answer[aria-busy=true]').waitFor();
      },
    ],
  ];

  describe.each([
    ['a desktop', {}],
    ['a small phone at night', NIGHT],
  ])('on %s', (name, options) => {
    it('the page never scrolls sideways and has no accessibility faults', async () => {
      const { page, addresses } = await browsing.open(options);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      const red = Number(/\d+/.exec(String(ground))?.[0]);
      expect(red < 128, name).toBe(name.endsWith('night'));
      const expectFit = async (state: string) => {
        expect(await overflowsOf(page), state).toEqual([]);
        expect(await axeFindings(page), state).toEqual([]);
      };
      await page.locator('#key-form').waitFor();
      await expectFit('no key');
      await enterKey(page, browsing.key);
      await page.locator('#key-form').waitFor({ state: 'hidden' });
      const library = () => addresses.filter((address) => address.endsWith('/page/formulas.js'));
      for (const [state, reach] of states) {
        if (state.endsWith('formulas')) expect(library()).toEqual([]);
        await reach(page);
        await expectFit(state);
      }
      expect(library()).toHaveLength(1);
    });
  });
});
