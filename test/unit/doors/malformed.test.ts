import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { mcpServerFactory } from '../../../src/doors/mcp.ts';
import { asLoaded } from '../../../src/doors/published.ts';
import { serveOnStdio } from '../../../src/doors/stdio-server.ts';
import * as table from '../../../src/operations.ts';
import { openDoor } from './http/door.ts';

type Id = string | number | null;
type Kind = [name: string, line: string, ids: Id[]];

const ping = (more: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping', ...more });
const PING = ping({});
const LONG = { jsonrpc: '2.0', method: 'ping', params: { x: 'x'.repeat(300 * 1024) } };
const notice = (more: object) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', ...more });

const UNKNOWN = notice({ method: 'notifications/x' });
const pings = Array.from({ length: 150 }, (_, id) => ping({ id }));

const KINDS: Kind[] = [
  ['plain words', 'hello there', [null]],
  ['JSON cut short', PING.slice(0, -1), [null]],
  ['two messages on a line', `${PING}${PING}`, [null]],
  ['a name without quotes', '{jsonrpc:"2.0",id:7,method:"ping"}', [null]],
  ['60,000 brackets', '['.repeat(60_000), [null]],
  ['a number', '7', [null]],
  ['null', 'null', [null]],
  ['an empty object', '{}', [null]],
  ['a message without jsonrpc', '{"id":7,"method":"ping"}', [7]],
  ['another version of JSON-RPC', ping({ jsonrpc: '1.0' }), [7]],
  ['a message without a method', '{"jsonrpc":"2.0","id":"a"}', ['a']],
  ['a method that is a number', ping({ method: 7 }), [7]],
  ['params that are a list', ping({ params: ['x'] }), [7]],
  ['params that are null', ping({ params: null }), [7]],
  ['a _meta that is a list', ping({ params: { _meta: [] } }), [7]],
  ['an unknown member', ping({ more: true }), [7]],
  ['an id that is a fraction', ping({ id: 1.5 }), [1.5]],
  ['an id that is null', ping({ id: null }), [null]],
  ['an id that is an object', ping({ id: { a: 1 } }), [null]],
  ['a NUL before the message', `\0${PING}`, [7]],
  ['a NUL after the message', `${PING}\0`, [7]],
  ['UTF-16', [...PING].join('\0'), [7]],
  ['an empty batch', '[]', [null]],
  ['a batch of one', `[${PING}]`, [7]],
  [
    'a batch of three and a notification',
    `[${PING},${ping({ id: 'b' })},${UNKNOWN},${PING}]`,
    [7, 'b'],
  ],
  ['a batch of more than 100', `[${pings.join()}]`, [...pings.slice(0, 100).keys()]],
  ['a batch without messages', '[1,2]', [null]],
];

const UNANSWERED = [
  ['a notification with params that are a list', notice({ params: [7] })],
  ['an unknown notification', notice({ method: 'notifications/no/such' })],
  ['a cancellation without parameters', notice({})],
  ['a response that is not an object', '{"jsonrpc":"2.0","id":7,"result":7}'],
  ['a response with a result and an error', '{"jsonrpc":"2.0","id":7,"result":{},"error":{}}'],
];

const ON_STDIO: Kind[] = [
  ...KINDS,
  // HTTP treats these differently: its limit is 64 KiB, and decoding drops a byte order mark.
  ['a message after a byte order mark', `\ufeff${PING}`, [7]],
  ['a message of 300 KiB', JSON.stringify({ ...LONG, id: 7 }), [7]],
  ['a message of 300 KiB that begins with its id', JSON.stringify({ id: 'a', ...LONG }), ['a']],
  ['300 KiB that are not JSON', 'x'.repeat(300 * 1024), [null]],
];

const responsesFor = (ids: Id[]) =>
  ids.map((id) => ({
    jsonrpc: '2.0',
    id,
    error: {
      code: id === null ? -32_700 : -32_600,
      message: expect.stringMatching(id === null ? /^Parse error: / : /^Invalid request: /),
    },
  }));

const createServer = mcpServerFactory(asLoaded(table), '0', () => {});

/** A stdio server's responses to lines, and its log. */
async function overStdio(lines: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const open = () => Promise.reject(new Error('no call is made'));
  const { finished } = serveOnStdio(createServer, open, { input, output, log });
  const written = text(output);
  input.end(`${lines}\n{"jsonrpc":"2.0","id":"after","method":"ping"}\n`);
  await finished;
  output.end();
  const received = (await written).trim().split('\n');
  const responses: unknown[] = received.map((line) => JSON.parse(line));
  expect(responses.pop()).toEqual({ jsonrpc: '2.0', id: 'after', result: {} });
  return { responses, logged };
}

it.each(ON_STDIO)('stdio rejects %s, and reads the next line', async (_, line, ids) => {
  expect((await overStdio(line)).responses).toEqual(responsesFor(ids));
});

it.each(UNANSWERED)('stdio leaves %s unanswered, and reads the next line', async (_, line) => {
  expect((await overStdio(line)).responses).toEqual([]);
});

it.each(KINDS)('/mcp rejects %s', async (_, body, ids) => {
  const response = await openDoor().ask('/mcp', { body });
  expect(response.status).toBe(400);
  expect([await response.json()].flat()).toEqual(responsesFor(ids));
});

it.each(UNANSWERED)('/mcp leaves %s unanswered', async (_, body) => {
  const response = await openDoor().ask('/mcp', { body });
  expect([response.status, await response.text()]).toEqual([202, '']);
});

it('a server logs the first ten refused lines, the 100th, the 1,000th and so on, without their text', async () => {
  const { responses, logged } = await overStdio('no message\n'.repeat(1_234));
  expect(responses).toHaveLength(1_234);
  expect(logged).toHaveLength(12);
  const last = 'protocol: Refused a line that is not a single JSON-RPC message (1,000 so far).';
  expect(logged.at(-1)).toBe(last);
});
