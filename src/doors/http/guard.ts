import { isIP } from 'node:net';
import { ServiceError } from '../../core/errors.ts';

/** Names of this machine in its own browser; DNS cannot make them point elsewhere. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** An address as written in a URL: IPv6 in brackets. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Refuses requests that a foreign web page made the user's browser send (DNS rebinding): the Host
 * must name this server, and the Origin, if present, must be the same name and port. On loopback the
 * Host is one of the machine's own names. Elsewhere it may also be any IP literal, since only a name can
 * be rebound. Allowed names are accepted everywhere. Throws `forbidden`.
 */
export function createHostGuard(
  boundTo: string,
  allowed: readonly string[],
): (host: string, origin: string | null) => void {
  const allowedNames = new Set(allowed.map((name) => name.toLowerCase()));
  const names = new Set([...LOOPBACK_NAMES, inUrl(boundTo).toLowerCase(), ...allowedNames]);
  const takesAddresses = !isLoopback(boundTo);
  const isOurs = (name: string) =>
    names.has(name) || (takesAddresses && isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  return (host, origin) => {
    const name = nameOf(host);
    if (name === undefined || !isOurs(name)) {
      throw new ServiceError(
        'forbidden',
        'The Host header names another server. Call this one by its address, or start it with ' +
          '`--allow-host NAME` for a name of its own.',
      );
    }
    if (origin === null) return;
    const [, tls, page = ''] = /^http(s?):\/\/([^/?#@]+)$/.exec(origin.toLowerCase()) ?? [];
    // Browsers leave the usual port out, and some proxies put it into the Host.
    const addresses = [page, `${page}:${tls ? 443 : 80}`];
    // A page on another local port is a different origin and may be anyone's.
    if (!addresses.includes(host.toLowerCase()) && !allowedNames.has(nameOf(page) ?? '')) {
      throw new ServiceError(
        'forbidden',
        'Pages of another origin may not call this server. Call it from a program, or start it ' +
          'with `--allow-host NAME` for a page on a name of its own.',
      );
    }
  };
}

/** The name or address in `host[:port]`, in lower case; undefined if malformed. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1];
}
