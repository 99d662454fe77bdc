import { describe, expect, it } from 'vitest';
import { Bridge, wireToParent } from '../../../../src/doors/views/bridge.ts';

type Message = Record<string, unknown>;

/** A bridge whose host is the test: what it sent, and what it heard. */
function openBridge() {
  const sent: Message[] = [];
  const heard: [what: string, value: unknown][] = [];
  let receive: ((message: unknown) => void) | undefined;
  const bridge = new Bridge(
    {
      send: (message) => sent.push(message),
      listen(listener) {
        receive = listener;
        return () => {
          receive = undefined;
        };
      },
    },
    {
      onInput: (args) => heard.push(['input', args]),
      onResult: (result) => heard.push(['result', result]),
      onCancelled: (reason) => heard.push(['cancelled', reason]),
      onContext: (context) => heard.push(['context', context]),
      onTeardown: () => heard.push(['teardown', undefined]),
    },
  );
  const say = (message: unknown) => receive?.(message);
  return {
    bridge,
    sent,
    heard,
    say,
    notify: (method: string, params?: unknown) => say({ jsonrpc: '2.0', method, params }),
    answer: (id: unknown, rest: Message) => say({ jsonrpc: '2.0', id, ...rest }),
    isListening: () => receive !== undefined,
  };
}

describe('what the host says', () => {
  it('is ignored where it is nothing that a view is told', () => {
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

  it('ends the view when it is torn down: what was asked fails, and nothing is heard any more', async () => {
    const { bridge, sent, heard, say, isListening } = openBridge();
    const call = bridge.request('tools/call', { name: 'paper_search' });
    say({ jsonrpc: '2.0', id: 5, method: 'ui/resource-teardown', params: {} });
    await expect(call).rejects.toThrow('closed');
    expect(heard).toEqual([['teardown', undefined]]);
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 5, result: {} });
    expect(isListening()).toBe(false);
  });
});

describe('calls', () => {
  it('fail with the words of the host', async () => {
    const { bridge, sent, answer } = openBridge();
    const link = bridge.request('ui/open-link', { url: 'https://example.org/' });
    answer(sent[0]?.id, { error: { code: -32000, message: 'The user said no.' } });
    await expect(link).rejects.toThrow('The user said no.');
    const call = bridge.request('a', {});
    answer(sent[1]?.id, { error: 7 });
    await expect(call).rejects.toThrow('The host refused.');
  });
});

it('only the window that holds the view is heard', () => {
  const parent = new EventTarget();
  const self = Object.assign(new EventTarget(), { parent });
  const heard: unknown[] = [];
  // @ts-expect-error: what is used of a window.
  const stop = wireToParent(self).listen((message) => heard.push(message));
  const post = (source: unknown, data: string) =>
    self.dispatchEvent(Object.assign(new Event('message'), { source, data }));
  post(parent, 'from the parent');
  post(self, 'from itself');
  post(new EventTarget(), 'from elsewhere');
  post(null, 'from nowhere');
  stop();
  post(parent, 'too late');
  expect(heard).toEqual(['from the parent']);
});
