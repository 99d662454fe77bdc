import { type Fields, fieldsOf } from './tool-reply.ts';

// The view's side of MCP Apps, specification 2026-01-26: JSON-RPC with the window that embeds the view.

const METHOD_NOT_FOUND = -32601;

const TEARDOWN = 'ui/resource-teardown';

/**
 * Connects to the host until the host tears the view down. Ignores messages from windows other than the
 * parent. `handlers` are keyed by method.
 */
export function connect(self: Window, handlers: ReadonlyMap<string, (params: Fields) => void>) {
  const pending = new Map<unknown, { resolve(result: Fields): void; reject(error: Error): void }>();
  let lastId = 0;

  const send = (message: Fields) => self.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const notify = (method: string, params: Fields) => send({ method, params });
  /** Rejects with the host's error message. */
  const request = (method: string, params: Fields): Promise<Fields> => {
    lastId += 1;
    return new Promise((resolve, reject) => {
      pending.set(lastId, { resolve, reject });
      send({ id: lastId, method, params });
    });
  };
  const settle = (id: unknown, result: unknown, error: unknown) => {
    const waiting = pending.get(id);
    pending.delete(id);
    const message = fieldsOf(error).message ?? 'The host refused the request.';
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(String(message)));
  };
  const close = () => {
    self.removeEventListener('message', listen);
    handlers.get(TEARDOWN)?.({});
    for (const { reject } of pending.values()) reject(new Error('The view was closed.'));
    pending.clear();
  };
  const respond = (id: unknown, method: string) => {
    const isKnown = method === 'ping' || method === TEARDOWN;
    const error = { code: METHOD_NOT_FOUND, message: `This view does not support ${method}.` };
    send({ id, ...(isKnown ? { result: {} } : { error }) });
    if (method === TEARDOWN) close();
  };
  const listen = ({ source, data }: MessageEvent) => {
    const { jsonrpc, id, method, params, result, error } = fieldsOf(data);
    if (source !== self.parent || jsonrpc !== '2.0') return;
    if (typeof method !== 'string') settle(id, result, error);
    else if (id === undefined) handlers.get(method)?.(fieldsOf(params));
    else respond(id, method);
  };
  self.addEventListener('message', listen);
  return { request, notify };
}

/** Applies the host's theme, styles and insets. Ignores its fonts, because the view may load nothing. */
export function followHost(root: HTMLElement, { theme, styles, safeAreaInsets }: Fields): void {
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(fieldsOf(fieldsOf(styles).variables))) {
    if (name.startsWith('--')) root.style.setProperty(name, typeof value === 'string' ? value : '');
  }
  for (const [side, inset] of Object.entries(fieldsOf(safeAreaInsets))) {
    if (typeof inset === 'number') root.style.setProperty(`--inset-${side}`, `${inset}px`);
  }
}
