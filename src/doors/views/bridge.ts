import { type Fields, fieldsOf } from './answer.ts';

// The view's side of MCP Apps, specification 2026-01-26: JSON-RPC with the window that holds the view.

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;

const TEARDOWN = 'ui/resource-teardown';

/** Handlers of the host's messages, by method. */
type Handlers = ReadonlyMap<string, (params: Fields) => void>;

/**
 * The connection to the host until the host tears the view down. Other windows may post messages too; only
 * those of the parent count.
 */
export class Bridge {
  readonly #self: Window;
  readonly #handlers: Handlers;
  readonly #pending = new Map<
    unknown,
    { resolve(result: Fields): void; reject(error: Error): void }
  >();
  #lastId = 0;

  constructor(self: Window, handlers: Handlers) {
    this.#self = self;
    this.#handlers = handlers;
    self.addEventListener('message', this.#listen);
  }

  readonly #listen = ({ source, data }: MessageEvent) => {
    if (source === this.#self.parent) this.#receive(data);
  };

  #send(message: Fields): void {
    this.#self.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
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

  /** Rejects with the host's error message. */
  request(method: string, params: Fields): Promise<Fields> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: Fields): void {
    this.#send({ method, params });
  }

  #receive(message: unknown): void {
    const { jsonrpc, id, method, params, result, error } = fieldsOf(message);
    if (jsonrpc !== '2.0') return;
    if (typeof method !== 'string') this.#settle(id, result, error);
    else if (id === undefined) this.#handlers.get(method)?.(fieldsOf(params));
    else this.#answer(id, method);
  }

  #settle(id: unknown, result: unknown, error: unknown): void {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(String(fieldsOf(error).message ?? 'The host refused.')));
  }

  #answer(id: unknown, method: string): void {
    const isKnown = method === 'ping' || method === TEARDOWN;
    const error = { code: METHOD_NOT_FOUND, message: `This view does not know ${method}.` };
    this.#send({ id, ...(isKnown ? { result: {} } : { error }) });
    if (method === TEARDOWN) this.#close();
  }

  #close(): void {
    this.#self.removeEventListener('message', this.#listen);
    this.#handlers.get(TEARDOWN)?.({});
    for (const { reject } of this.#pending.values()) reject(new Error('The view was closed.'));
    this.#pending.clear();
  }
}

// Colours, fonts and radii as the host sets them. Fonts that would have to be loaded are left out.

/** Values that would make the browser load something. */
const LOADING = /url|image|src\(|@/i;
const SIDES = ['top', 'right', 'bottom', 'left'];

/** Applies a change of the host's context. */
export function followHost(root: HTMLElement, { theme, styles, safeAreaInsets }: Fields): void {
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(fieldsOf(fieldsOf(styles).variables))) {
    const isSafe = typeof value === 'string' && !LOADING.test(value);
    // An empty value removes the variable.
    if (name.startsWith('--')) root.style.setProperty(name, isSafe ? value : '');
  }
  const insets = fieldsOf(safeAreaInsets);
  for (const side of SIDES) {
    const inset = insets[side];
    if (typeof inset === 'number') root.style.setProperty(`--inset-${side}`, `${inset}px`);
  }
}
