import { expect, it } from 'vitest';
import { createMcpEndpoint } from '../../src/doors/http-mcp.ts';

const SECRET = `qs_${'a1B2'.repeat(8)}`;

it('writes no key into the log, whatever header it came in', async () => {
  const lines: string[] = [];
  const endpoint = createMcpEndpoint(
    () => {
      throw new Error(`a fault that quotes ${SECRET}\nand a second line ${'x'.repeat(5_000)}`);
    },
    (line) => lines.push(line),
  );
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body });
  await endpoint.fetch(request, body);
  await endpoint.close();
  expect(lines.join('\n')).toContain('qs_***');
  for (const line of lines) {
    expect(line).not.toContain(SECRET);
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(300);
  }
});
