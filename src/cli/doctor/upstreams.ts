import type { Config } from '../../config.ts';
import { acceptsConnection, routeTo } from '../../upstream/probe.ts';
import type { Check } from './check.ts';

/**
 * Whether the upstreams' hosts, or the proxy to them, accept a connection. No request is sent: one
 * to arXiv would have to wait for its turn behind a running sync. Those of the model
 * matter only while it is not ready.
 */
export async function checkUpstreams(config: Config, hasModel: boolean): Promise<Check> {
  const { hubUrl, npmUrl, arxiv, fredKey, fredUrl, agencies, polymarketUrl, proxy } = config;
  const name = 'upstreams';
  if (config.offline) return { name, ok: true, detail: 'offline mode: not checked', fix: null };
  const fred = fredKey === undefined ? [] : [fredUrl];
  const forModel = hasModel ? [] : [hubUrl, npmUrl];
  const macro = [...fred, ...Object.values(agencies)];
  const sources = [...Object.values(arxiv), ...macro, polymarketUrl].map((url) => new URL(url));
  const hosts = [...forModel.map((url) => new URL(url)), ...sources];
  const unique = [...new Map(hosts.map((url) => [url.host, url])).values()];
  const reached = await Promise.all(unique.map((url) => acceptsConnection(url, proxy)));
  const missing = unique.filter((_, index) => reached[index] !== true).map(({ host }) => host);
  if (missing.length === 0) {
    const through = unique.some((url) => routeTo(url, proxy) !== url) ? ' (through the proxy)' : '';
    const detail = `reachable${through}: ${unique.map(({ host }) => host).join(', ')}`;
    return { name, ok: true, detail, fix: null };
  }
  // Without a proxy, a machine that reaches no source is simply not on the network, even where a
  // registry nearby answers.
  const isMissing = proxy === undefined && sources.every(({ host }) => missing.includes(host));
  return {
    name,
    ok: false,
    isMissing,
    detail: `${isMissing ? 'no source can be reached, so nothing is refreshed; ' : ''}unreachable: ${missing.join(', ')}`,
    fix: `Check the network${proxy === undefined ? '' : ', and HTTPS_PROXY, HTTP_PROXY and NO_PROXY'}; to work without one, set QUANTSHELF_OFFLINE=1.`,
  };
}
