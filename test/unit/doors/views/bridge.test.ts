import { describe, expect, it } from 'vitest';
import { Bridge, followHost } from '../../../../src/doors/views/bridge.ts';

type Message = Record<string, unknown>;

/** A bridge whose host is the test: what it sent, and what it heard. */
function openBridge() {
  const sent: Message[] = [];
  const heard: [what: string, value: unknown][] = [];
  const parent = { postMessage: (message: Message) => sent.push(message) };
  const self = Object.assign(new EventTarget(), { parent });
  const handlers = ['ui/notifications/tool-result', 'ui/resource-teardown'].map(
    (method) => [method, (params: unknown) => heard.push([method, params])] as const,
  );
  // @ts-expect-error: what is used of a window.
  const bridge = new Bridge(self, new Map(handlers));
  const post = (source: unknown, data: unknown) =>
    self.dispatchEvent(Object.assign(new Event('message'), { source, data }));
  const say = (message: unknown) => post(parent, message);
  const notify = (method: string, params?: unknown) => say({ jsonrpc: '2.0', method, params });
  return { bridge, sent, heard, self, post, say, notify };
}

describe('a message from the host', () => {
  it('is ignored if it is not meant for a view', () => {
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

  it('tears the view down: pending calls fail, and later messages are ignored', async () => {
    const { bridge, sent, heard, say, notify } = openBridge();
    const call = bridge.request('tools/call', { name: 'paper_search' });
    say({ jsonrpc: '2.0', id: 5, method: 'ui/resource-teardown', params: {} });
    await expect(call).rejects.toThrow('closed');
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 5, result: {} });
    notify('ui/notifications/tool-result', {});
    expect(heard).toEqual([['ui/resource-teardown', {}]]);
  });
});

describe('calls', () => {
  it("fail with the host's message", async () => {
    const { bridge, sent, say } = openBridge();
    const answer = (id: unknown, rest: Message) => say({ jsonrpc: '2.0', id, ...rest });
    const link = bridge.request('ui/open-link', { url: 'https://example.org/' });
    answer(sent[0]?.id, { error: { code: -32000, message: 'The user said no.' } });
    await expect(link).rejects.toThrow('The user said no.');
    const call = bridge.request('a', {});
    answer(sent[1]?.id, { error: 7 });
    await expect(call).rejects.toThrow('The host refused.');
  });
});

it('a view listens only to its parent window', () => {
  const { heard, self, post, notify } = openBridge();
  const result = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: {} };
  for (const source of [self, new EventTarget(), null]) post(source, result);
  expect(heard).toEqual([]);
  notify('ui/notifications/tool-result', {});
  expect(heard).toHaveLength(1);
});

it("the host's theme is applied without values that would load anything", () => {
  const set = new Map<string, string>();
  const style = { setProperty: (name: string, value: string) => set.set(name, value) };
  const variables = {
    '--color-text-primary': 'light-dark(#111, #eee)',
    '--color-background-primary': 'url(https://example.org/x.png)',
    '--color-border-primary': 7,
    color: 'red',
  };
  for (const styles of [{ variables }, undefined, null, 'x', { variables: null }]) {
    // @ts-expect-error: what is used of an element.
    followHost({ style }, { styles });
  }
  expect([...set]).toEqual([
    ['--color-text-primary', 'light-dark(#111, #eee)'],
    ['--color-background-primary', ''],
    ['--color-border-primary', ''],
  ]);
});
