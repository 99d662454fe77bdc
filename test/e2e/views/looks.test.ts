import { describe, expect, it } from 'vitest';
import { axeFindings, describeInBrowser } from '../browser.ts';
import { CPI, EVENT, PAPERS, SEARCH, useHost } from './fixture.ts';

const PHONE = { viewport: { width: 320, height: 640 } };

describeInBrowser(() => {
  const { show } = useHost();

  describe.each([
    ['in the light theme', { theme: 'light' as const }, {}],
    ['in the dark theme, on a phone', { theme: 'dark' as const }, PHONE],
  ])('%s', (_, theme, options) => {
    it.each([
      ['an event', EVENT],
      ['a list', SEARCH],
      ['papers', PAPERS],
      ['a history', { ...CPI, args: { indicator: 'us.nonfarm_payrolls', limit: 24 } }],
      ['one observation', { ...CPI, args: { ...CPI.args, limit: 1 } }],
      ['a paper', { tool: 'paper_read', args: { paperCardId: '2510.23150' } }],
      ['an error', { ...CPI, args: { indicator: 'us.cpi.hedline' } }],
    ])('the view of %s fits its width and has no accessibility faults', async (_, showing) => {
      const { view } = await show({ ...showing, ...theme }, options);
      for (const summary of await view.locator('summary').all()) {
        if (await summary.isVisible()) await summary.click();
      }
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect(await view.evaluate(overflow)).toBeLessThanOrEqual(0);
      expect(await axeFindings(view)).toEqual([]);
    });
  });
});
