import { expect, it } from 'vitest';
import { connect } from '../../../../src/doors/views/bridge.ts';

type Message = Record<string, unknown>;

/** A bridge with the test as its host: messages sent and received. */
function openBridge() {
  const sent: Message[] = [];
  const heard: [what: string, value: unknown][] = [];
  const parent = { postMessage: (message: Message) => sent.push(message) };
  const self = Object.assign(new EventTarget(), { parent });
  const handlers = ['ui/notifications/tool-result', 'ui/resource-teardown'].map(
    (method) => [method, (params: unknown) => heard.push([method, params])] as const,
  );
  // @ts-expect-error: only the used part of a window.
  const bridge = connect(self, new Map(handlers));
  const post = (source: unknown, data: unknown) =>
    self.dispatchEvent(Object.assign(new Event('message'), { source, data }));
  const say = (message: unknown) => post(parent, message);
  const notify = (method: string, params?: unknown) => say({ jsonrpc: '2.0', method, params });
  return { bridge, sent, heard, self, post, say, notify };
}

it('a view ignores malformed and unknown messages from the host', () => {
  const { heard, sent, say, notify } = openBridge();
  for (const message of [null, 'text', 7, [], {}, { method: 'ui/notifications/tool-result' }]) {
    say(message);
  }
  notify('ui/notifications/tool-input-partial', { arguments: { limit: 3 } });
  notify('constructor', {});
  say({ jsonrpc: '2.0', id: 9, result: {} });
  say({ jsonrpc: '2.0', id: 'x', error: {} });
  expect(heard).toEqual([]);
  expect(sent).toEqual([]);
});

it('a view that is torn down rejects its pending calls and ignores later messages', async () => {
  const { bridge, sent, heard, say, notify } = openBridge();
  const call = bridge.request('tools/call', { name: 'paper_search' });
  say({ jsonrpc: '2.0', id: 5, method: 'ui/resource-teardown', params: {} });
  await expect(call).rejects.toThrow('closed');
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 5, result: {} });
  notify('ui/notifications/tool-result', {});
  expect(heard).toEqual([['ui/resource-teardown', {}]]);
});

it("a host's refusal without a message gets one from the view", async () => {
  const { bridge, say } = openBridge();
  const call = bridge.request('tools/call', { name: 'paper_search' });
  say({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message: null } });
  await expect(call).rejects.toThrow('The host refused the request.');
});

it('a view listens only to its parent window', () => {
  const { heard, self, post, notify } = openBridge();
  const result = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: {} };
  for (const source of [self, new EventTarget(), null]) post(source, result);
  expect(heard).toEqual([]);
  notify('ui/notifications/tool-result', {});
  expect(heard).toHaveLength(1);
});
