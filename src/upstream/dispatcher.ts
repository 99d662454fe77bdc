import { Socket } from 'node:net';
import type * as Undici from 'undici';
import type { Agent, Dispatcher } from 'undici';
import { untilAborted } from '../core/time.ts';
import { HttpError } from './failures.ts';

/** The user's proxies. URLs include their scheme; '' means none. */
export interface ProxyRoute {
  http: string;
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

const MAX_REDIRECTS = 5;
/** Hosts that never go through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/** Creates a dispatcher. Imports undici only now: it takes 90 ms, and most processes never need it. */
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
    // `connect` applies only to hosts reached directly.
    proxyTls: connectOptions,
    requestTls: connectOptions,
    httpProxy: proxy.http,
    httpsProxy: proxy.https,
    noProxy: `${LOOPBACK},${proxy.except}`,
  });
}

function abortable(
  signal: AbortSignal,
  connector: Undici.buildConnector.connector,
): Undici.buildConnector.connector {
  return (options, callback) => {
    // The connector returns its socket, which its types do not declare.
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

/** Wraps a dispatcher to call `onConnected` when a request is about to be sent on a connection. */
export function whenConnected(dispatcher: Dispatcher, onConnected: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const onRequestStart: Dispatcher.DispatchHandler['onRequestStart'] = (...args) => {
      onConnected();
      handler.onRequestStart?.(...args);
    };
    return dispatch(options, {
      onRequestStart,
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  });
}

/** Other domains, including subdomains, to which a host may redirect. */
export type RedirectDomains = readonly string[] | 'any';

/** Wraps a dispatcher to follow redirects to the host of `url` and to `domains`, but not to another scheme. */
export async function withRedirects(
  dispatcher: Dispatcher,
  url: URL,
  domains: RedirectDomains,
): Promise<Dispatcher> {
  const { default: undici } = await import('undici');
  const allowed: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const { protocol, host, hostname, port } = new URL(options.origin ?? url);
    const isAmong =
      domains === 'any' ||
      (port === '' && domains.some((name) => hostname === name || hostname.endsWith(`.${name}`)));
    // A redirect from https to http would silently drop the encryption.
    if (protocol !== url.protocol || (host !== url.host && !isAmong)) {
      throw new HttpError(
        'redirect',
        `${url.host} redirects to another scheme, or to a host that is not allowed`,
      );
    }
    return dispatch(options, handler);
  };
  return dispatcher.compose(
    allowed,
    undici.interceptors.redirect({ maxRedirections: MAX_REDIRECTS }),
  );
}

/** The types for undici's default export lack this class. */
function hasProxyAgent(module: object): module is Pick<typeof Undici, 'EnvHttpProxyAgent'> {
  return 'EnvHttpProxyAgent' in module;
}

/** Default time limit for connecting, in milliseconds. */
export const CONNECT_MS = 10_000;

/** Whether the host of `url` accepts a connection, through the proxy if needed. Sends no request; never rejects. */
export async function acceptsConnection(
  url: URL,
  proxy: ProxyRoute | undefined,
  connectMs = CONNECT_MS,
): Promise<boolean> {
  const signal = AbortSignal.timeout(connectMs);
  const dispatcher = await createDispatcher(proxy, { connectMs, signal });
  let isConnected = false;
  const connecting = whenConnected(dispatcher, () => {
    isConnected = true;
    throw new Error('only the connection was needed');
  });
  const request = connecting.request({ origin: url.origin, path: '/', method: 'HEAD', signal });
  // With a proxy that accepts the connection but stays silent, the request would never settle.
  await untilAborted(request, signal).catch(() => {});
  await dispatcher.destroy();
  return isConnected;
}
