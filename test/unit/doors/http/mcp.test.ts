import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { jsonBody } from '../../../../src/doors/http/body.ts';
import type { Env } from '../../../../src/doors/http/context.ts';
import { createInFlightCounter } from '../../../../src/doors/http/in-flight.ts';
import { createMcpEndpoint } from '../../../../src/doors/http/mcp.ts';

const SECRET = `qs_${'a1B2'.repeat(8)}`;

it('writes no key into the log, whatever header it came in', async () => {
  const lines: string[] = [];
  const endpoint = createMcpEndpoint({
    createServer() {
      throw new Error(`an error that quotes ${SECRET}\nand a second line ${'x'.repeat(5_000)}`);
    },
    call: () => Promise.reject(new Error('nothing is called')),
    takeCall: () => ({ limit: 1, remaining: 1, resetSeconds: 1, isSpent: false }),
    inFlight: createInFlightCounter(),
    log: (line) => lines.push(line),
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const app = new Hono<Env>().post('/mcp', jsonBody, async (c, next) => {
    c.set('request', {
      requestId: 'request-1',
      operations: [],
      running: new Set(),
      credits: 0,
    });
    return endpoint.answer(c, next);
  });
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  await app.request('/mcp', { method: 'POST', headers, body });
  await endpoint.close();
  expect(lines.join('\n')).toContain('qs_***');
  for (const line of lines) {
    expect(line).not.toContain(SECRET);
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(300);
  }
});
