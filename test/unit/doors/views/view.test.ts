import { describe, expect, it } from 'vitest';
import { renderView } from '../../../../scripts/build/views.ts';
import { readResult } from '../../../../src/doors/views/answer.ts';
import { webAddress } from '../../../../src/doors/views/dom.ts';
import { formatPeriod } from '../../../../src/doors/views/format.ts';
import { operations } from '../../../../src/operations.ts';

describe('the built view', () => {
  it('is a single document that loads nothing else', async () => {
    const { html } = await renderView('view', '0.0.0-test');
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

  it('calls only existing tools, and knows their prices', async () => {
    const { html } = await renderView('view', '0.0.0-test');
    const named = new Set(html.match(/\b(paper|macro_indicator|prediction_market_event)_\w+/g));
    const names = operations.map(({ name }) => name);
    expect([...named].filter((name) => !names.includes(name))).toEqual([]);
    for (const { name, price } of operations) expect(html).toContain(`${name}:${price}`);
  });
});

describe('an answer', () => {
  const envelope = { data: { observations: [] }, meta: { asOf: '2026-08-21' } };
  const inText = [{ type: 'text', text: JSON.stringify(envelope) }];
  const answer = { kind: 'answer', data: envelope.data, meta: { asOf: '2026-08-21' } };

  it('is read wherever the host puts it', () => {
    expect(readResult({ structuredContent: envelope })).toMatchObject(answer);
    expect(readResult({ content: inText })).toMatchObject(answer);
  });

  it('that failed states the reason', () => {
    const error = { code: 'not_found', message: 'No such indicator.' };
    const failure = { kind: 'failure', ...error };
    expect(readResult({ structuredContent: { error }, isError: true })).toEqual(failure);
    const text = 'The user did not allow this call.';
    expect(readResult({ content: [{ type: 'text', text }], isError: true })).toEqual({
      kind: 'failure',
      message: text,
    });
  });

  it.each([
    {},
    { content: [] },
    { content: 'x' },
    { structuredContent: { data: 7 } },
    { content: [{ text: '[1' }] },
  ])('without figures is a failure: %o', (result) => {
    expect(readResult(result)).toMatchObject({ kind: 'failure', message: /no figures/ });
  });
});

it('only web addresses become links', () => {
  expect(webAddress('https://arxiv.org/abs/1')).toBe('https://arxiv.org/abs/1');
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//',
    '',
  ]) {
    expect(webAddress(address), address).toBeUndefined();
  }
});

it('a period is named by the frequency of its series', () => {
  const periods = ['Annual', 'Quarterly', 'Monthly', 'Daily'].map((each) =>
    formatPeriod('2025-10-01', each),
  );
  expect(periods).toEqual(['2025', 'Q4 2025', 'October 2025', '1 Oct 2025']);
});
