import { VERSION } from '../app/built.ts';
import { createLazyApp } from '../app/lazy-app.ts';
import type { Config } from '../config.ts';
import { filesChanged } from '../core/errors.ts';
import { mcpServerFactory } from '../doors/mcp.ts';
import type { LazyTable, Published } from '../doors/published.ts';
import { serveOnStdio } from '../doors/stdio-server.ts';
import type { Terminal } from './terminal.ts';

/** Inserted by the build. */
declare const QUANTSHELF_PUBLISHED: Published;

/** `quantshelf` without a command: serves MCP on stdio until the input ends or a signal arrives. */
export async function serveStdio(config: Config, { log, stopSignal }: Terminal): Promise<number> {
  const app = createLazyApp(config, { mode: 'server', log });
  const createServer = mcpServerFactory(lazyTable, VERSION, log);
  const server = serveOnStdio(createServer, app.open, {
    input: process.stdin,
    output: process.stdout,
    log,
  });
  stopSignal(new Error('Stopped.')).addEventListener('abort', server.close);
  await server.finished;
  await app.close();
  return 0;
}

/** What the build copied from the table of operations, and the table itself, loaded for the first call. */
const lazyTable: LazyTable = {
  published: () => QUANTSHELF_PUBLISHED,
  load: () =>
    import('../operations.ts').catch((cause: unknown) => {
      throw filesChanged(cause);
    }),
};
