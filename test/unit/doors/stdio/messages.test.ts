import { describe, expect, it, vi } from 'vitest';
import { wholeLines } from '../../../../src/doors/stdio/lines.ts';
import { readLine, rejectLongLine } from '../../../../src/doors/stdio/messages.ts';

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
  ['objects', Buffer.from('{},'.repeat(2_001)), 'A line may hold 2,000 braces at most.'],
  ['numbers', Buffer.from('1,'.repeat(50_001)), 'A line may hold 50,000 commas at most.'],
])('refuses a line of too many %s before it is parsed', (_, line, message) => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(readLine(line)).toEqual({
    kind: 'rejected',
    rejection: {
      jsonrpc: '2.0',
      id: line.includes('"id"') ? 1 : null,
      error: { code: -32600, message },
    },
  });
  expect(parse).not.toHaveBeenCalled();
});

/** Params with an id of their own at either end, too many members, and a text in between. */
const PARAMS = `"params":{"id":7,"name":"x","arguments":{${'"a":0,'.repeat(10_001)}"text":"TEXT","id":8}}`;

describe('the id of a refused line', () => {
  it.each<[string, string, string | number | null]>([
    ['before the params', `{"jsonrpc":"2.0","id":1,"method":"tools/call",${PARAMS}}`, 1],
    ['behind the method', `{"method":"tools/call","id":"a-1",${PARAMS},"jsonrpc":"2.0"}`, 'a-1'],
    ['behind the params', `{"method":"tools/call",${PARAMS},"jsonrpc":"2.0","id":2}`, 2],
    ['with spaces', `{ "method": "tools/call", ${PARAMS}, "id": 3, "jsonrpc": "2.0" } \r\n`, 3],
    ['that counts of two', `{"id":1,"method":"tools/call",${PARAMS},"id":2}`, 2],
    ['not of the params', `{"jsonrpc":"2.0","method":"tools/call",${PARAMS}}`, null],
    ['not of a text', `{"method":"x",${PARAMS},"more":"\\"id\\":4}"}`, null],
    ['not of an unfinished name', `{"method":"x",${PARAMS},"more \\"id":4}`, null],
    ['not what is no id', `{"id":{"id":5},"method":"x",${PARAMS}}`, null],
    [
      'not of an answer',
      `{"jsonrpc":"2.0","id":6,"result":{${'"a":0,'.repeat(10_001)}"b":0}}`,
      null,
    ],
  ])('%s', (_, line, id) => {
    expect(readLine(Buffer.from(line))).toMatchObject({ kind: 'rejected', rejection: { id } });
  });
});

describe('a line beyond the limit', () => {
  async function read(...chunks: string[]) {
    const taken: string[] = [];
    const refused: unknown[] = [];
    const lines = wholeLines({
      takes: (line) => taken.push(line.toString()) > 0,
      onTooLong: (mebibytes, ends) => refused.push(rejectLongLine(mebibytes, ends)),
      room: async () => {},
      beforeEnd: async () => {},
    });
    lines.resume();
    for (const chunk of chunks) lines.write(chunk);
    await new Promise((resolve) => lines.on('end', resolve).end());
    return { taken, refused };
  }
  const error = { code: -32600, message: 'A line may hold 1 MiB at most.' };
  const long = 'x'.repeat(600_000);

  it('is refused under its id, wherever that stands, and the next one is taken', async () => {
    const first = ['{"jsonrpc":"2.0","id":1,"method":"', long, long, '"}\n{}\n'];
    expect(await read(...first)).toEqual({
      taken: ['{}\n'],
      refused: [{ jsonrpc: '2.0', id: 1, error }],
    });
    const last = [
      '{"method":"x","params":{"a":"',
      long,
      long,
      '"},"jsonrpc":"2.0",',
      '"id":"b"}\n',
    ];
    expect((await read(...last, '{}')).refused).toEqual([{ jsonrpc: '2.0', id: 'b', error }]);
  });

  it('is refused once, also where the input ends in it', async () => {
    const { taken, refused } = await read('{"method":"', long, long, long, long);
    expect(taken).toEqual([]);
    expect(refused).toEqual([{ jsonrpc: '2.0', id: null, error }]);
  });

  it('is no line of a megabyte', async () => {
    const { taken, refused } = await read(`${'x'.repeat(1_000_000)}\n`);
    expect([taken.length, refused]).toEqual([1, []]);
  });
});
