import { connect } from 'node:net';
import { type ProxyRoute, proxyOf } from './dispatcher.ts';

/** A host that takes longer to connect counts as unreachable, in milliseconds. */
const CONNECT_MS = 10_000;

/** What a connection to `url` connects to: its host or the proxy. */
export function routeTo(url: URL, proxy: ProxyRoute | undefined): URL {
  const through = proxy === undefined ? null : proxyOf(url, proxy);
  return through === null ? url : new URL(through);
}

/**
 * Whether the host of `url`, or the proxy to it, accepts a connection within ten seconds, as long as requests wait. Nothing is
 * sent. Never rejects.
 */
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
