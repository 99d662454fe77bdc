import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeInBrowser } from '../browser.ts';
import { CPI, EVENT, PAPERS, SEARCH, useHost } from './fixture.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { viewport: { width: 320, height: 640 } };
const violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

async function overflowOf(view: Frame): Promise<unknown> {
  return view.evaluate('document.documentElement.scrollWidth - innerWidth');
}

async function listViolations(view: Frame): Promise<string[]> {
  await view.evaluate(AXE);
  const found = violations.parse(await view.evaluate('axe.run().then((r) => r.violations)'));
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describeInBrowser('a view', () => {
  const { show } = useHost();

  describe.each([
    ['light', { theme: 'light' as const }, {}],
    ['dark', { theme: 'dark' as const }, {}],
    ['on a phone', { theme: 'light' as const }, PHONE],
    ['on a phone, dark', { theme: 'dark' as const }, PHONE],
  ])('%s', (_, theme, options) => {
    it.each([
      ['a history', { ...CPI, args: { series_id: 'DGS10', limit: 500 } }],
      ['an event', EVENT],
      ['a list', SEARCH],
      ['papers', PAPERS],
      ['a paper', { tool: 'paper_read', args: { paperCardId: '2510.23150' } }],
      ['an error', { ...CPI, args: { indicator: 'us.no.such' } }],
    ])('%s fits its width, and axe finds nothing against it', async (_, showing) => {
      const { view } = await show({ ...showing, ...theme }, options);
      for (const summary of await view.locator('summary').all()) await summary.click();
      expect(await overflowOf(view)).toBeLessThanOrEqual(0);
      expect(await listViolations(view)).toEqual([]);
    });
  });
});
