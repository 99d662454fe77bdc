import { Socket } from 'node:net';
import type * as Undici from 'undici';
import type { Agent, Dispatcher } from 'undici';

/** The way out of a network that has no other. Addresses carry their scheme; '' stands for none. */
export interface ProxyRoute {
  /** For upstreams with http addresses. */
  http: string;
  /** For all others. */
  https: string;
  /** Hosts that are asked directly, parted by commas; subdomains are meant too. */
  except: string;
}

export type DispatcherOptions = Omit<Agent.Options, 'connect'> & {
  /** To the upstream, or to the proxy; name look-up and TLS included, in milliseconds. */
  connectMs: number;
  /** Ends connections that are being made: the dispatcher's `destroy` lets them try on. */
  signal: AbortSignal;
};

/** This machine needs no proxy to reach itself. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/**
 * What requests go out by. undici is loaded with the first of them: importing it takes 90 ms that
 * most processes never need.
 */
export async function createDispatcher(
  proxy: ProxyRoute | undefined,
  { connectMs, signal, ...others }: DispatcherOptions,
): Promise<Dispatcher> {
  // By its default export: a bundled CommonJS package has no other.
  const { default: undici } = await import('undici');
  const way = {
    timeout: connectMs,
    // Node moves on to a host's next address after 250 ms, which a slow line may well take.
    autoSelectFamilyAttemptTimeout: Math.round(connectMs / 3),
  };
  const options = { ...others, connect: endedBy(signal, undici.buildConnector(way)) };
  if (proxy === undefined) return new undici.Agent(options);
  if (!hasProxyAgent(undici)) throw new Error('this undici knows no proxies');
  return new undici.EnvHttpProxyAgent({
    ...options,
    // By `connect` it reaches only what needs no proxy.
    proxyTls: way,
    requestTls: way,
    httpProxy: proxy.http,
    httpsProxy: proxy.https,
    noProxy: noProxyOf(proxy.except),
  });
}

function endedBy(
  signal: AbortSignal,
  connector: Undici.buildConnector.connector,
): Undici.buildConnector.connector {
  return (options, callback) => {
    // Its types do not say that it returns the socket.
    const socket: unknown = connector(options, (...result) => {
      signal.removeEventListener('abort', end);
      callback(...result);
    });
    function end() {
      if (socket instanceof Socket) socket.destroy(new Error('the client was closed'));
    }
    signal.addEventListener('abort', end, { once: true });
  };
}

/** The same dispatcher; `onConnected` is told when a connection stands and the request goes out. */
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

/** The proxy by which `url` is asked, or null where it is asked directly; as the library decides it. */
export function proxyOf(url: URL, { http, https, except }: ProxyRoute): string | null {
  const isDirect = noProxyOf(except)
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name = entry, port = ''] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '').toLowerCase();
      const own = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
      const isHost = url.hostname === host || url.hostname.endsWith(`.${host}`);
      return host !== '' && isHost && (port === '' || port === own);
    });
  return isDirect ? null : (url.protocol === 'https:' ? https : http) || null;
}

function noProxyOf(except: string): string {
  return `${LOOPBACK},${except}`;
}

/** Its types leave the class out of the default export. */
function hasProxyAgent(module: object): module is Pick<typeof Undici, 'EnvHttpProxyAgent'> {
  return 'EnvHttpProxyAgent' in module;
}
