import type { Config } from '../config.ts';
import type { App, AppOptions } from './app.ts';

/** The app of a process that may never need it. */
export interface LazyApp {
  /** Opens it at the first call, which the next ones share. */
  open(): Promise<App>;
  /** Closes what has been opened, if anything. Calls in flight must have ended. */
  close(): Promise<void>;
}

/** Opens and loads nothing yet: the handshake must not wait for SQLite. */
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
        // The next call tries again: the disk may have room by then.
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
