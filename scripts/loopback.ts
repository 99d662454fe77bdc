import { NOWHERE } from '../test/e2e/support.ts';

/**
 * Environment of a program that may reach only this machine: for all other hosts it names a proxy that does
 * not exist.
 */
export const LOOPBACK: Readonly<Record<string, string>> = {
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  NO_PROXY: '127.0.0.1,localhost',
  http_proxy: NOWHERE,
  https_proxy: NOWHERE,
  no_proxy: '127.0.0.1,localhost',
};
