import { createKeyFinder } from './accounts/keys.ts';
import { createRateLimiter } from './accounts/rate.ts';
import { type Config, storePath } from './config.ts';
import { ServiceError } from './core/errors.ts';
import { run } from './core/run.ts';
import { createHttpDoor } from './doors/http/app.ts';
import { createHostGuard, isLoopback } from './doors/http/guard.ts';
import { serveOnHttp } from './doors/http/server.ts';
import { publicPages } from './doors/pages.ts';
import type { MarketRefresh } from './market-refresh.ts';
import { operations } from './operations.ts';
import { createSession } from './session.ts';
import { neverBlock, whenFree } from './store/busy.ts';
import { openForWriting } from './store/open.ts';
import { versionSeenBy, watchVersion } from './store/remember.ts';
import { VERSION } from './version.ts';

export interface ServeOptions {
  host: string;
  port: number;
  /** Calls a minute and key. */
  rate: number;
  /** Names under which the server may be called beside its own. */
  allowedHosts: readonly string[];
}

/**
 * `quantshelf serve`: the HTTP door until a signal comes; then drain, model, store. Returns the exit
 * code. Bound to an address that others can reach, the shelf gives full texts only under a licence
 * that permits it.
 */
export async function serveHttp(
  options: ServeOptions,
  config: Config,
  tools: {
    starterPath: string;
    marketRefresh: () => Promise<MarketRefresh>;
    log(line: string): void;
  },
): Promise<number> {
  const { starterPath, marketRefresh, log } = tools;
  // A name beyond loopback means a proxy in front, and others behind it.
  const isPrivate = isLoopback(options.host) && options.allowedHosts.length === 0;
  const policy = isPrivate ? 'personal' : 'licensed';
  const session = createSession(config, starterPath, log, { marketRefresh, policy });
  const now = () => new Date();
  const closing: (() => void)[] = [];
  const stopping = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  try {
    const { context, isOutdated } = await session.shelf();
    // A connection that nothing but accounts is written through: every commit that it did not make
    // may have changed the shelf, and its own never do.
    const accounts = openForWriting(storePath(config.home));
    closing.push(() => accounts.close());
    neverBlock(accounts);
    const findKey = createKeyFinder(accounts, now);
    const takeCall = createRateLimiter(accounts, options.rate, now);
    watchVersion(context.db, versionSeenBy(accounts));
    const door = createHttpDoor({
      table: operations,
      version: VERSION,
      isOutdated,
      checkOrigin: createHostGuard(options.host, options.allowedHosts),
      findAccount(key) {
        const account = findKey(key);
        return account && { ...account, charge: (entry) => whenFree(() => account.charge(entry)) };
      },
      takeCall: (account) => whenFree(() => takeCall(account)),
      call: (operation, input, { account, ...by }) =>
        run(operation, input, { ...by, log, open: async () => ({ context, account, isOutdated }) }),
      pages: publicPages(operations, VERSION),
      now,
      log,
    });
    const server = await serveOnHttp(door, options);
    log(`listening on ${server.url}`);
    await stopping;
    await server.close();
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log(error.message);
    return 1;
  } finally {
    for (const close of closing) close();
    await session.close();
  }
}
