// The view's side of MCP Apps, specification 2026-01-26: JSON-RPC with the window that holds the view.

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;

/**
 * @typedef {Record<string, unknown>} Fields
 *
 * @typedef {object} Wire
 * @property {(message: Fields) => void} send
 * @property {(receive: (message: unknown) => void) => () => void} listen returns what ends it
 *
 * @typedef {object} HostContext what the host tells of itself; every field may be missing
 * @property {unknown} [theme]
 * @property {unknown} [styles]
 * @property {unknown} [safeAreaInsets]
 * @property {unknown} [toolInfo]
 *
 * @typedef {object} Handlers
 * @property {(args: Fields) => void} onInput the arguments of the call that the view belongs to
 * @property {(result: Fields) => void} onResult
 * @property {(reason: string) => void} onCancelled
 * @property {(changed: HostContext) => void} onContext
 * @property {() => void} onTeardown
 *
 * @typedef {object} Welcome
 * @property {Fields} capabilities of the host
 * @property {HostContext} context
 */

/**
 * Messages to and from the window that holds this one. Whoever else has a handle on this window may
 * post to it as well: only the parent is heard.
 * @param {Window} self
 * @returns {Wire}
 */
export function wireToParent(self) {
  return {
    send: (message) => self.parent.postMessage(message, '*'),
    listen(receive) {
      /** @param {MessageEvent} event */
      const hear = ({ source, data }) => {
        if (source === self.parent) receive(data);
      };
      self.addEventListener('message', hear);
      return () => self.removeEventListener('message', hear);
    },
  };
}

/** Speaks with the host until the host tears the view down. */
export class Bridge {
  #wire;
  #handlers;
  #stop;
  #lastId = 0;
  /** @type {Map<unknown, {resolve: (result: Fields) => void, reject: (error: Error) => void}>} */
  #pending = new Map();

  /**
   * @param {Wire} wire
   * @param {Handlers} handlers
   */
  constructor(wire, handlers) {
    this.#wire = wire;
    this.#handlers = handlers;
    this.#stop = wire.listen((message) => this.#receive(message));
  }

  /**
   * The handshake. The host sends input and result after it.
   * @param {{name: string, title: string, version: string}} appInfo
   * @returns {Promise<Welcome>}
   */
  async initialize(appInfo) {
    const result = await this.#request('ui/initialize', {
      appInfo,
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
      protocolVersion: PROTOCOL_VERSION,
    });
    this.#notify('ui/notifications/initialized', {});
    return {
      capabilities: fieldsOf(result.hostCapabilities),
      context: fieldsOf(result.hostContext),
    };
  }

  /**
   * Calls a tool of the server that the view came from.
   * @param {string} name
   * @param {Fields} args
   */
  callTool(name, args) {
    return this.#request('tools/call', { name, arguments: args });
  }

  /** @param {string} url opened by the host, outside of the view */
  openLink(url) {
    return this.#request('ui/open-link', { url });
  }

  /** @param {number} height of all that is shown, in pixels */
  reportHeight(height) {
    this.#notify('ui/notifications/size-changed', { height });
  }

  /**
   * @param {string} method
   * @param {Fields} params
   * @returns {Promise<Fields>} the result; rejects with what the host says against it
   */
  #request(method, params) {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#wire.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /**
   * @param {string} method
   * @param {Fields} params
   */
  #notify(method, params) {
    this.#wire.send({ jsonrpc: '2.0', method, params });
  }

  /** @param {unknown} message */
  #receive(message) {
    const { jsonrpc, id, method, params, result, error } = fieldsOf(message);
    if (jsonrpc !== '2.0') return;
    if (typeof method !== 'string') this.#settle(id, result, error);
    else if (id === undefined) this.#hear(method, fieldsOf(params));
    else this.#answer(id, method);
  }

  /**
   * @param {unknown} id
   * @param {unknown} result
   * @param {unknown} error
   */
  #settle(id, result, error) {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(textOf(fieldsOf(error).message) || 'The host refused.'));
  }

  /**
   * @param {string} method
   * @param {Fields} params
   */
  #hear(method, params) {
    switch (method) {
      case 'ui/notifications/tool-input':
        return this.#handlers.onInput(fieldsOf(params.arguments));
      case 'ui/notifications/tool-result':
        return this.#handlers.onResult(params);
      case 'ui/notifications/tool-cancelled':
        return this.#handlers.onCancelled(textOf(params.reason));
      case 'ui/notifications/host-context-changed':
        return this.#handlers.onContext(params);
    }
  }

  /**
   * @param {unknown} id
   * @param {string} method
   */
  #answer(id, method) {
    const isKnown = method === 'ping' || method === 'ui/resource-teardown';
    const error = { code: METHOD_NOT_FOUND, message: `This view does not know ${method}.` };
    this.#wire.send({ jsonrpc: '2.0', id, ...(isKnown ? { result: {} } : { error }) });
    if (method === 'ui/resource-teardown') this.#close();
  }

  #close() {
    this.#stop();
    this.#handlers.onTeardown();
    for (const { reject } of this.#pending.values()) reject(new Error('The view was closed.'));
    this.#pending.clear();
  }
}

/**
 * What came from the host as an object whose fields are still unknown; anything else as an empty one.
 * @param {unknown} value
 * @returns {Fields}
 */
export function fieldsOf(value) {
  return typeof value === 'object' && value !== null ? /** @type {Fields} */ (value) : {};
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : '';
}
