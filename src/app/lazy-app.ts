import type { Config } from '../config.ts';
import { filesChanged } from '../core/errors.ts';
import type { App, AppOptions } from './app.ts';

export type LazyApp = ReturnType<typeof createLazyApp>;

/** How long calls on a replaced file have to finish, in milliseconds. */
const RETIREMENT_MS = 60_000;

/** Loads nothing before the first `open`, since the MCP handshake must not wait for SQLite. */
export function createLazyApp(config: Config, options: AppOptions) {
  const stopping = new AbortController();
  let opening: Promise<App> | undefined;
  /** Apps on replaced store files; calls may still be reading from them. */
  const retired = new Set<App>();
  const openOnce = async () => {
    const { openApp } = await import('./app.ts').catch((cause: unknown) => {
      throw filesChanged(cause);
    });
    return openApp(config, options, stopping.signal);
  };
  return {
    /** All callers share one app. Rejects if the store's file was replaced; the next call opens the new file. */
    async open(): Promise<App> {
      opening ??= openOnce().catch((error: unknown) => {
        // Let the next call try again: the disk may have room by then.
        opening = undefined;
        throw error;
      });
      const app = await opening;
      if (app.file.isReplaced()) {
        options.log("The shelf's file was replaced or removed; the next call reopens the shelf.");
        opening = undefined;
        retired.add(app);
        setTimeout(() => {
          if (retired.delete(app)) void app.close();
        }, RETIREMENT_MS).unref();
      }
      app.file.assertInPlace();
      return app;
    },
    /** Closes all open apps. Safe only while no operation is running. */
    async close(): Promise<void> {
      stopping.abort();
      const app = await opening?.catch(() => undefined);
      await app?.close();
      for (const one of retired) await one.close();
      retired.clear();
    },
  };
}
