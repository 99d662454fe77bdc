import { expect, it } from 'vitest';
import { renderView } from '../../../../scripts/build/views.ts';
import { webAddress } from '../../../../src/doors/views/dom.ts';
import { formatPeriod } from '../../../../src/doors/views/format.ts';
import { readCsv } from '../../../../src/doors/views/history-table.ts';
import { operations } from '../../../../src/operations.ts';

const { html } = await renderView('view', '0.0.0-test');

it('the built view is a single document that loads nothing else', () => {
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(html.match(/<script type="module">/g)).toHaveLength(1);
  expect(html.match(/<style>.+<\/style>/g)).toHaveLength(1);
  expect(html).not.toMatch(
    /\b(src|href|srcset|action)\s*=|(?<!new |toData)url\(|@import|@font-face/i,
  );
  expect(html).not.toMatch(/\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\b/);
  expect(html).not.toMatch(/\b(innerHTML|outerHTML|insertAdjacentHTML|eval)\b|document\.write/);
  expect(html).not.toContain('QUANTSHELF_');
});

it('the built view calls only existing tools, and knows their prices', () => {
  const named = new Set(html.match(/\b(paper|macro_indicator|prediction_market_event)_\w+/g));
  const names = operations.map(({ name }) => name);
  expect([...named].filter((name) => !names.includes(name))).toEqual([]);
  for (const { name, price } of operations) expect(html).toContain(`${name}:${price}`);
});

it('only web addresses become links', () => {
  expect(webAddress('https://arxiv.org/abs/1')).toBe('https://arxiv.org/abs/1');
  const others = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//', ''];
  for (const address of others) expect(webAddress(address), address).toBeUndefined();
});

it('a period is written according to the frequency of its series', () => {
  const periods = ['Annual', 'Quarterly', 'Monthly', 'Daily'].map((each) =>
    formatPeriod('2025-10-01', each),
  );
  expect(periods).toEqual(['2025', 'Q4 2025', 'October 2025', '1 Oct 2025']);
});

it('the CSV of a history has the publication day of a value only if it is exact', () => {
  const rows = readCsv(
    'date\n2026-06-06,x,2,2026-07-09,,false,\n2026-07-01,x,,2026-08-07,,true,\n',
  );
  expect(rows.map((row) => row.realtime_start)).toEqual(['', '2026-08-07']);
});
