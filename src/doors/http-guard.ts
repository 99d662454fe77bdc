import { isIP } from 'node:net';
import { ServiceError } from '../core/errors.ts';

/** Names of this machine in its own browser; none of them can be made to point elsewhere. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** An address as it stands in a URL: IPv6 in brackets. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Refuses requests that a foreign web page can have brought into the user's browser (DNS
 * rebinding): the Host and, where there is one, the Origin must name this server. On loopback those
 * are this machine's own names; elsewhere the Host may be any IP literal, since only a name can be
 * rebound, and the Origin the same one; and everywhere the names that were allowed. Throws
 * `forbidden`.
 */
export function createHostGuard(
  boundTo: string,
  allowed: readonly string[],
): (host: string, origin: string | null) => void {
  const names = new Set(
    [...LOOPBACK_NAMES, inUrl(boundTo), ...allowed].map((n) => n.toLowerCase()),
  );
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
    const page = /^https?:\/\/([^/?#@]+)$/.exec(origin.toLowerCase())?.[1];
    const from = page === undefined ? undefined : nameOf(page);
    if (from === undefined || !(names.has(from) || from === name)) {
      throw new ServiceError(
        'forbidden',
        'Pages of another origin may not call this server. Call it from a program, or start it ' +
          'with `--allow-host NAME` for a page on a name of its own.',
      );
    }
  };
}

/** The name or address in `host[:port]`, in lower case; undefined where it is none. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1];
}
