import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createCallLimiter } from '../accounts/accounts.ts';
import { createKeyFinder } from '../accounts/api-keys.ts';
import type { App } from '../app/app.ts';
import { VERSION } from '../app/built.ts';
import { createLazyApp, type LazyApp } from '../app/lazy-app.ts';
import { chargeInPlace } from '../app/store.ts';
import type { Config } from '../config.ts';
import type { Account } from '../core/context.ts';
import { REMEDIES } from '../core/disk.ts';
import { ServiceError, serviceUnavailable } from '../core/errors.ts';
import { createHttpDoor, publicPages } from '../doors/http/door.ts';
import { LIMITS, serveOnHttp } from '../doors/http/listen.ts';
import { createHostGuard, isLoopback } from '../doors/http/request.ts';
import { operations, prompts, resources } from '../operations.ts';
import { whenFree, writeForCall } from '../store/connection.ts';
import type { Terminal } from './terminal.ts';

export interface ServeOptions {
  host: string;
  port: number;
  /** Calls per minute per key; if undefined, QUANTSHELF_RATE applies. */
  rate: number | undefined;
  /** Maximum number of connections with a call in progress. */
  maxConnections: number;
  /** Host names accepted besides the server's own. */
  allowedHosts: readonly string[];
}

/**
 * `quantshelf serve`: serves HTTP until a signal arrives. Returns the exit code. On an address that others
 * can reach, it serves full text only under a licence that permits it, and never the user's own papers.
 */
export async function serveHttp(
  options: ServeOptions,
  config: Config,
  { log, stopSignal }: Terminal,
): Promise<number> {
  const stop = stopSignal(new Error('Stopped.'));
  const stopping = stop.aborted ? Promise.resolve() : once(stop, 'abort');
  // An allowed host implies a reverse proxy, through which others can connect.
  const isPrivate = isLoopback(options.host) && options.allowedHosts.length === 0;
  const app = createLazyApp(config, {
    mode: 'server',
    policy: isPrivate ? 'loopback' : 'licensed',
    log,
  });
  try {
    await serve(app, options, config, { isPrivate, stopping, log });
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log(error.message);
    return 1;
  } finally {
    await app.close();
  }
}

async function serve(
  app: LazyApp,
  options: ServeOptions,
  config: Config,
  at: { isPrivate: boolean; stopping: Promise<unknown>; log(line: string): void },
): Promise<void> {
  const { isPrivate, stopping, log } = at;
  /** A key to the local account until the server stops. Made only for a terminal, since a log would retain it. */
  const pageKey =
    isPrivate && process.stderr.isTTY ? `page_${randomBytes(24).toString('base64url')}` : undefined;
  const now = () => new Date();
  const rate = options.rate ?? config.rate;
  const first = await app.open();
  // On a read-only store, calls could be neither counted nor charged.
  if (first.writer.readonly) throw serviceUnavailable(REMEDIES.unwritable);
  let accounts = openAccounts(first, rate, now);
  /** The accounts in the store's current file, which may have replaced an earlier one. */
  const current = async () => {
    const opened = await app.open();
    if (opened !== accounts.app) accounts = openAccounts(opened, rate, now);
    return accounts;
  };
  const openFor = async (account: Account) => {
    const { context, home } = await app.open();
    return { context, account, home };
  };
  const door = createHttpDoor({
    table: { operations, resources, prompts },
    version: VERSION,
    home: config.home,
    checkOrigin: createHostGuard(options.host, options.allowedHosts),
    findAccount: async (key) => {
      const { app: opened, findAccount } = await current();
      return isSame(key, pageKey) ? opened.account : findAccount(key);
    },
    takeCall: async (account) => (await current()).takeCall(account),
    openFor,
    pages: publicPages(operations, VERSION),
    now,
    log,
  });
  const limits = { ...LIMITS, connections: options.maxConnections };
  const server = await serveOnHttp(door, options, limits);
  log(`listening on ${server.url}`);
  // Browsers never send the fragment to a server.
  if (pageKey !== undefined) log(`open ${server.url}/#key=${pageKey}`);
  await stopping;
  await server.close();
}

function isSame(key: string, expected: string | undefined): boolean {
  const [typed, own] = [Buffer.from(key), Buffer.from(expected ?? '')];
  return expected !== undefined && typed.length === own.length && timingSafeEqual(typed, own);
}

/** Key look-up and rate limits in the store of `app`. */
function openAccounts(app: App, rate: number, now: () => Date) {
  const { db } = app;
  const findKey = createKeyFinder(db, now);
  const takeCall = createCallLimiter(db, rate, now);
  return {
    app,
    findAccount(key: string) {
      const account = findKey(key);
      return account && chargeInPlace(account, app);
    },
    takeCall: (account: string) => whenFree(() => writeForCall(db, () => takeCall(account))),
  };
}
