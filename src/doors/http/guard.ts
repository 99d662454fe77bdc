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
 * and, if present, the Origin must name this server. On loopback these are the machine's own names.
 * Elsewhere the Host may also be any IP literal, since only a name can be rebound, and the Origin
 * must be the same one. Allowed names are accepted everywhere. Throws `forbidden`.
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

/** The name or address in `host[:port]`, in lower case; undefined if malformed. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1];
}
