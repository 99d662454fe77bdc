import { NOWHERE } from '../test/e2e/support.ts';

/** Environment of a program that may reach only this machine: the proxy for other hosts does not exist. */
export const LOOPBACK: Readonly<Record<string, string>> = {
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  NO_PROXY: '127.0.0.1,localhost',
  http_proxy: NOWHERE,
  https_proxy: NOWHERE,
  no_proxy: '127.0.0.1,localhost',
};
