import { connect } from 'node:net';
import type { Config } from '../config.ts';
import { proxyOf } from '../upstream/dispatcher.ts';
import type { Check } from './doctor-check.ts';

/** How long an upstream may take to answer before it counts as out of reach, in milliseconds. */
const REACH_MS = 5_000;

/**
 * Whether the upstreams' hosts take a connection. Nothing is asked of them: a request to arXiv
 * would have to wait for its turn behind a sync that is at work. Where a proxy is the way out, it is the
 * one that has to take it. The model hub matters only while there is no model.
 */
export async function checkUpstreams(config: Config, hasModel: boolean): Promise<Check> {
  const { hubUrl, arxiv, fredKey, fredUrl, polymarketUrl, proxy } = config;
  const name = 'upstreams';
  if (config.offline)
    return { name, ok: true, detail: 'offline mode: nothing is tried', fix: null };
  const fred = fredKey === undefined ? [] : [fredUrl];
  const hub = hasModel ? [] : [hubUrl];
  const hosts = [...hub, ...Object.values(arxiv), ...fred, polymarketUrl].map(
    (url) => new URL(url),
  );
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map((url) => takesConnection(wayTo(url, proxy))));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    const through = unique.some((url) => wayTo(url, proxy) !== url) ? ' (through the proxy)' : '';
    const detail = `within reach${through}: ${unique.map(({ host }) => host).join(', ')}`;
    return { name, ok: true, detail, fix: null };
  }
  return {
    name,
    ok: false,
    detail: `out of reach: ${missing.join(', ')}`,
    fix: `Check the network${proxy === undefined ? '' : ', and HTTPS_PROXY, HTTP_PROXY and NO_PROXY'}; to work without one, set QUANTSHELF_OFFLINE=1.`,
  };
}

/** Where a connection to `url` really goes. */
function wayTo(url: URL, proxy: Config['proxy']): URL {
  const through = proxy === undefined ? null : proxyOf(url, proxy);
  return through === null ? url : new URL(through);
}

function takesConnection({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const standard = protocol === 'https:' ? 443 : 80;
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? standard : Number(port),
      timeout: REACH_MS,
    });
    const settle = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
