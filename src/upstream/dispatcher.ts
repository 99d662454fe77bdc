import { connect, Socket } from 'node:net';
import type * as Undici from 'undici';
import type { Agent, Dispatcher } from 'undici';

/** The user's proxies. URLs include their scheme; '' means none. */
export interface ProxyRoute {
  /** For http URLs. */
  http: string;
  /** For https URLs. */
  https: string;
  /** Comma-separated hosts, subdomains included, that are reached directly. */
  except: string;
}

type DispatcherOptions = Omit<Agent.Options, 'connect'> & {
  /** Limit for connecting to the host or the proxy, including DNS and TLS, in milliseconds. */
  connectMs: number;
  /** Aborts connection attempts, which the dispatcher's own `destroy` leaves running. */
  signal: AbortSignal;
};

/** Never reached through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/** Imports undici on the first use, since that takes 90 ms and most processes never need it. */
export async function createDispatcher(
  proxy: ProxyRoute | undefined,
  { connectMs, signal, ...others }: DispatcherOptions,
): Promise<Dispatcher> {
  // A bundled CommonJS package has only a default export.
  const { default: undici } = await import('undici');
  const connectOptions = {
    timeout: connectMs,
    // Node's default of 250 ms is too short for a slow network.
    autoSelectFamilyAttemptTimeout: Math.round(connectMs / 3),
  };
  const connect = abortable(signal, undici.buildConnector(connectOptions));
  const options = { ...others, connect };
  if (proxy === undefined) return new undici.Agent(options);
  if (!hasProxyAgent(undici)) throw new Error('undici lacks EnvHttpProxyAgent');
  return new undici.EnvHttpProxyAgent({
    ...options,
    // `connect` applies only to hosts that are reached directly.
    proxyTls: connectOptions,
    requestTls: connectOptions,
    httpProxy: proxy.http,
    httpsProxy: proxy.https,
    noProxy: noProxyOf(proxy),
  });
}

function abortable(
  signal: AbortSignal,
  connector: Undici.buildConnector.connector,
): Undici.buildConnector.connector {
  return (options, callback) => {
    // The connector returns its socket, which its types omit.
    const socket: unknown = connector(options, (...result) => {
      signal.removeEventListener('abort', abort);
      callback(...result);
    });
    function abort() {
      if (socket instanceof Socket) socket.destroy(new Error('the client was closed'));
    }
    signal.addEventListener('abort', abort, { once: true });
  };
}

/** The same dispatcher; calls `onConnected` when a request is about to go out on a connection. */
export function whenConnected(dispatcher: Dispatcher, onConnected: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const onRequestStart: Dispatcher.DispatchHandler['onRequestStart'] = (...args) => {
      onConnected();
      handler.onRequestStart?.(...args);
    };
    return dispatch(options, {
      onRequestStart,
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  });
}

/** The proxy for `url`, or null if it is reached directly; matches what undici decides. */
export function proxyOf(url: URL, proxy: ProxyRoute): string | null {
  const standardPort = url.protocol === 'https:' ? '443' : '80';
  const isDirect = noProxyOf(proxy)
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name = entry, port = ''] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '').toLowerCase();
      const isHost = url.hostname === host || url.hostname.endsWith(`.${host}`);
      return host !== '' && isHost && (port === '' || port === (url.port || standardPort));
    });
  return isDirect ? null : (url.protocol === 'https:' ? proxy.https : proxy.http) || null;
}

function noProxyOf({ except }: ProxyRoute): string {
  return `${LOOPBACK},${except}`;
}

/** The types of undici's default export lack this class. */
function hasProxyAgent(module: object): module is Pick<typeof Undici, 'EnvHttpProxyAgent'> {
  return 'EnvHttpProxyAgent' in module;
}

/** A host that takes longer to connect counts as unreachable, in milliseconds: as long as a request waits. */
const CONNECT_MS = 10_000;

/** What a connection to `url` connects to: its host or the proxy. */
export function routeTo(url: URL, proxy: ProxyRoute | undefined): URL {
  const through = proxy === undefined ? null : proxyOf(url, proxy);
  return through === null ? url : new URL(through);
}

/** Whether the host of `url`, or the proxy to it, accepts a connection in time. Nothing is sent. Never rejects. */
export function acceptsConnection(url: URL, proxy: ProxyRoute | undefined): Promise<boolean> {
  const { hostname, port, protocol } = routeTo(url, proxy);
  return new Promise((resolve) => {
    const standard = protocol === 'https:' ? 443 : 80;
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? standard : Number(port),
      timeout: CONNECT_MS,
    });
    const finish = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}
