import type { Config } from '../config.ts';
import { filesChanged } from '../core/errors.ts';
import type { App, AppOptions } from './app.ts';

export type LazyApp = ReturnType<typeof createLazyApp>;

/** Upper bound on the duration of a call, in milliseconds. */
const LONGEST_CALL_MS = 60_000;

/**
 * For a process that may never need the app. Loads nothing before the first `open`: the handshake must
 * not wait for SQLite.
 */
export function createLazyApp(config: Config, options: AppOptions) {
  const stopping = new AbortController();
  let opening: Promise<App> | undefined;
  /** Apps on replaced store files; calls may still be reading from them. */
  const retired = new Set<App>();
  const retire = (app: App) => {
    options.log("The shelf's file was replaced or removed; opening the current one.");
    opening = undefined;
    retired.add(app);
    setTimeout(() => {
      if (retired.delete(app)) void app.close();
    }, LONGEST_CALL_MS).unref();
  };
  const openOnce = async () => {
    const { openApp } = await import('./app.ts').catch((cause: unknown) => {
      throw filesChanged(cause);
    });
    return openApp(config, options, stopping.signal);
  };
  return {
    /**
     * Opens the app once; all callers share it. If the store's file has been replaced or removed since, this
     * call rejects with `service_unavailable` and the next one opens the new file.
     */
    async open(): Promise<App> {
      opening ??= openOnce().catch((error: unknown) => {
        // Let the next call try again: the disk may have room by then.
        opening = undefined;
        throw error;
      });
      const app = await opening;
      if (app.file.isReplaced()) retire(app);
      app.file.assertInPlace();
      return app;
    },
    /** Closes the app if it is open. Call only when no call is in flight. */
    async close(): Promise<void> {
      stopping.abort();
      const app = await opening?.catch(() => undefined);
      await app?.close();
      for (const one of retired) await one.close();
      retired.clear();
    },
  };
}
