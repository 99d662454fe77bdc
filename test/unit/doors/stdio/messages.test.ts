import { expect, it, vi } from 'vitest';
import { readLine } from '../../../../src/doors/stdio/messages.ts';

function lineOf(members: number): Buffer {
  const experimental = Object.fromEntries(
    Array.from({ length: members }, (_, at) => [`k${at}`, 0]),
  );
  return Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: experimental }),
  );
}

it('takes a line of some thousand members', () => {
  expect(readLine(lineOf(9_990))).toMatchObject({ kind: 'message', message: { method: 'ping' } });
});

it.each([
  ['members', lineOf(10_001), 'A line may hold 10,000 colons at most.'],
  ['lists', Buffer.from('['.repeat(50_001)), 'A line may hold 50,000 brackets at most.'],
])('refuses a line of too many %s before it is parsed', (_, line, message) => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(readLine(line)).toEqual({
    kind: 'rejected',
    rejection: {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message },
    },
  });
  expect(parse).not.toHaveBeenCalled();
});
