import type { Config } from '../config.ts';
import type { App, AppOptions } from './app.ts';

/** For a process that may never need the app. */
export interface LazyApp {
  /** Opens the app once; all callers share it. */
  open(): Promise<App>;
  /** Closes the app if it is open. Call only when no call is in flight. */
  close(): Promise<void>;
}

/** Loads nothing before the first `open`: the handshake must not wait for SQLite. */
export function createLazyApp(config: Config, options: AppOptions): LazyApp {
  const stopping = new AbortController();
  let opening: Promise<App> | undefined;
  const openOnce = async () => {
    const { openApp } = await import('./app.ts');
    return openApp(config, options, stopping.signal);
  };
  return {
    open() {
      opening ??= openOnce().catch((error: unknown) => {
        // Let the next call try again: the disk may have room by then.
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      stopping.abort();
      const app = await opening?.catch(() => undefined);
      await app?.close();
    },
  };
}
