import { type Fields, fieldsOf } from './answer.ts';

// The view's side of MCP Apps, specification 2026-01-26: JSON-RPC with the window that holds the view.

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;

export interface Wire {
  send(message: Fields): void;
  /** Returns what ends it. */
  listen(receive: (message: unknown) => void): () => void;
}

/** What a view is told. */
interface Handlers {
  /** The arguments of the call that the view belongs to. */
  onInput(args: Fields): void;
  onResult(result: Fields): void;
  onCancelled(reason: string): void;
  /** What has changed of the host's context. */
  onContext(changed: Fields): void;
  onTeardown(): void;
}

/**
 * Messages to and from the window that holds this one. Whoever else has a handle on this window may
 * post to it as well: only the parent is heard.
 */
export function wireToParent(self: Window): Wire {
  return {
    send: (message) => self.parent.postMessage(message, '*'),
    listen(receive) {
      const hear = ({ source, data }: MessageEvent) => {
        if (source === self.parent) receive(data);
      };
      self.addEventListener('message', hear);
      return () => self.removeEventListener('message', hear);
    },
  };
}

/** Speaks with the host until the host tears the view down. */
export class Bridge {
  readonly #wire: Wire;
  readonly #handlers: Handlers;
  readonly #stop: () => void;
  readonly #pending = new Map<
    unknown,
    { resolve(result: Fields): void; reject(error: Error): void }
  >();
  #lastId = 0;

  constructor(wire: Wire, handlers: Handlers) {
    this.#wire = wire;
    this.#handlers = handlers;
    this.#stop = wire.listen((message) => this.#receive(message));
  }

  /** The handshake. The host sends input and result after it. */
  async initialize(appInfo: { name: string; title: string; version: string }) {
    const result = await this.request('ui/initialize', {
      appInfo,
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
      protocolVersion: PROTOCOL_VERSION,
    });
    this.notify('ui/notifications/initialized', {});
    return {
      capabilities: fieldsOf(result.hostCapabilities),
      context: fieldsOf(result.hostContext),
    };
  }

  /** Resolves with the result; rejects with what the host says against it. */
  request(method: string, params: Fields): Promise<Fields> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#wire.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  notify(method: string, params: Fields): void {
    this.#wire.send({ jsonrpc: '2.0', method, params });
  }

  #receive(message: unknown): void {
    const { jsonrpc, id, method, params, result, error } = fieldsOf(message);
    if (jsonrpc !== '2.0') return;
    if (typeof method !== 'string') this.#settle(id, result, error);
    else if (id === undefined) this.#hear(method, fieldsOf(params));
    else this.#answer(id, method);
  }

  #settle(id: unknown, result: unknown, error: unknown): void {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(textOf(fieldsOf(error).message) || 'The host refused.'));
  }

  #hear(method: string, params: Fields): void {
    const { onInput, onResult, onCancelled, onContext } = this.#handlers;
    if (method === 'ui/notifications/tool-input') onInput(fieldsOf(params.arguments));
    else if (method === 'ui/notifications/tool-result') onResult(params);
    else if (method === 'ui/notifications/tool-cancelled') onCancelled(textOf(params.reason));
    else if (method === 'ui/notifications/host-context-changed') onContext(params);
  }

  #answer(id: unknown, method: string): void {
    const isKnown = method === 'ping' || method === 'ui/resource-teardown';
    const error = { code: METHOD_NOT_FOUND, message: `This view does not know ${method}.` };
    this.#wire.send({ jsonrpc: '2.0', id, ...(isKnown ? { result: {} } : { error }) });
    if (method === 'ui/resource-teardown') this.#close();
  }

  #close(): void {
    this.#stop();
    this.#handlers.onTeardown();
    for (const { reject } of this.#pending.values()) reject(new Error('The view was closed.'));
    this.#pending.clear();
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// Colours, fonts and radii as the host sets them. Fonts that would have to be loaded are left out.

const VARIABLE = /^--(color|font|border|shadow)-[a-z0-9-]+$/;
/** Values that would make the browser load something. */
const LOADING = /url|image|src\(|@/i;
const SIDES = ['top', 'right', 'bottom', 'left'];

/** Applies what has changed of the host's context. */
export function followHost(root: HTMLElement, { theme, styles, safeAreaInsets }: Fields): void {
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme;
  for (const [name, value] of listVariables(styles)) {
    if (value === '') root.style.removeProperty(name);
    else root.style.setProperty(name, value);
  }
  const insets = fieldsOf(safeAreaInsets);
  for (const side of SIDES) {
    const inset = insets[side];
    if (typeof inset === 'number') root.style.setProperty(`--inset-${side}`, `${inset}px`);
  }
}

/** The variables that may be set, with an empty value for those that the host takes back. */
export function listVariables(styles: unknown): [name: string, value: string][] {
  return Object.entries(fieldsOf(fieldsOf(styles).variables)).flatMap(([name, value]) => {
    if (!VARIABLE.test(name)) return [];
    const isSafe = typeof value === 'string' && !LOADING.test(value);
    return [[name, isSafe ? value : '']];
  });
}
