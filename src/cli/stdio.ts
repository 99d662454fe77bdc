import { createLazyApp } from '../app/lazy-app.ts';
import { VERSION } from '../app/version.ts';
import type { Config } from '../config.ts';
import { readShelf } from '../core/read.ts';
import { run } from '../core/run.ts';
import { mcpServerFactory } from '../doors/mcp.ts';
import { serveOnStdio } from '../doors/stdio/server.ts';
import { beside, operations } from '../operations.ts';
import type { Terminal } from './terminal.ts';

/** `quantshelf`: MCP on stdin and stdout until the input ends or a signal comes. */
export async function serveStdio(config: Config, { log, stopSignal }: Terminal): Promise<number> {
  const app = createLazyApp(config, { mode: 'server', log });
  const server = serveOnStdio(
    mcpServerFactory(operations, beside, VERSION),
    {
      call: (operation, input, options) =>
        run(operation, input, { ...options, open: app.open, log }),
      readShelf: (asked, read) => readShelf(asked, read, { open: app.open, log }),
    },
    { input: process.stdin, output: process.stdout, log },
  );
  stopSignal(new Error('Stopped.')).addEventListener('abort', server.close);
  await server.finished;
  await app.close();
  return 0;
}
