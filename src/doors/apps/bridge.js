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

/**
 * Speaks with the host until the host tears the view down.
 * @param {Wire} wire
 * @param {Handlers} handlers
 */
export function createBridge(wire, handlers) {
  /** @type {Map<number, {resolve: (result: Fields) => void, reject: (error: Error) => void}>} */
  const pending = new Map();
  let lastId = 0;

  /** @type {Readonly<Record<string, (params: Fields) => void>>} */
  const notifications = {
    'ui/notifications/tool-input': (params) => handlers.onInput(fieldsOf(params.arguments)),
    'ui/notifications/tool-result': (params) => handlers.onResult(params),
    'ui/notifications/tool-cancelled': ({ reason }) =>
      handlers.onCancelled(typeof reason === 'string' ? reason : ''),
    'ui/notifications/host-context-changed': (params) => handlers.onContext(params),
  };

  /** @param {unknown} message */
  const receive = (message) => {
    const { jsonrpc, id, method, params, result, error } = fieldsOf(message);
    if (jsonrpc !== '2.0') return;
    if (typeof method !== 'string') settle(id, result, error);
    else if (id === undefined) notifications[method]?.(fieldsOf(params));
    else answer(id, method);
  };
  const stop = wire.listen(receive);

  /**
   * @param {unknown} id
   * @param {unknown} result
   * @param {unknown} error
   */
  function settle(id, result, error) {
    const waiting = typeof id === 'number' ? pending.get(id) : undefined;
    if (typeof id !== 'number' || waiting === undefined) return;
    pending.delete(id);
    if (error === undefined) waiting.resolve(fieldsOf(result));
    else waiting.reject(new Error(textOf(fieldsOf(error).message, 'The host refused.')));
  }

  /**
   * @param {unknown} id
   * @param {string} method
   */
  function answer(id, method) {
    if (method === 'ping') {
      wire.send({ jsonrpc: '2.0', id, result: {} });
    } else if (method === 'ui/resource-teardown') {
      handlers.onTeardown();
      wire.send({ jsonrpc: '2.0', id, result: {} });
      stop();
      for (const { reject } of pending.values()) reject(new Error('The view was closed.'));
      pending.clear();
    } else {
      const error = { code: METHOD_NOT_FOUND, message: `This view does not know ${method}.` };
      wire.send({ jsonrpc: '2.0', id, error });
    }
  }

  /**
   * @param {string} method
   * @param {Fields} params
   * @returns {Promise<Fields>} the result; rejects with what the host says against it
   */
  function request(method, params) {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject });
      wire.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /**
   * @param {string} method
   * @param {Fields} params
   */
  function notify(method, params) {
    wire.send({ jsonrpc: '2.0', method, params });
  }

  return {
    /**
     * The handshake. The host sends input and result after it.
     * @param {{name: string, title: string, version: string}} appInfo
     * @returns {Promise<Welcome>}
     */
    async initialize(appInfo) {
      const result = await request('ui/initialize', {
        appInfo,
        appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
        protocolVersion: PROTOCOL_VERSION,
      });
      notify('ui/notifications/initialized', {});
      return {
        capabilities: fieldsOf(result.hostCapabilities),
        context: fieldsOf(result.hostContext),
      };
    },
    /**
     * Calls a tool of the server that the view came from.
     * @param {string} name
     * @param {Fields} args
     */
    callTool: (name, args) => request('tools/call', { name, arguments: args }),
    /** @param {string} url opened by the host, outside of the view */
    openLink: (url) => request('ui/open-link', { url }),
    /** @param {number} height of all that is shown, in pixels */
    reportHeight: (height) => notify('ui/notifications/size-changed', { height }),
  };
}

/**
 * What came from the host as an object whose fields are still unknown; anything else as an empty one.
 * @param {unknown} value
 * @returns {Fields}
 */
export function fieldsOf(value) {
  return typeof value === 'object' && value !== null ? /** @type {Fields} */ (value) : {};
}

/**
 * @param {unknown} value
 * @param {string} otherwise
 */
function textOf(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
