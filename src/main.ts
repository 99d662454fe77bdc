import { fileURLToPath } from 'node:url';
import { type Command, readCommand } from './command-line.ts';
import { type Config, readConfig, syncLockPath, UsageError } from './config.ts';
import { run } from './core/run.ts';
import { mcpServerFactory } from './doors/mcp.ts';
import { serveOnStdio } from './doors/stdio/server.ts';
import type { MarketRefresh } from './market-refresh.ts';
import { operations } from './operations.ts';
import { createSession } from './session.ts';
import { VERSION } from './version.ts';

/** Where the build puts the starter shelf, beside this file. */
const STARTER = fileURLToPath(new URL('./starter.sqlite', import.meta.url));

/** The command itself, for work that needs a process of its own. */
const PROGRAM = fileURLToPath(new URL('../bin/quantshelf.js', import.meta.url));

/** The program. Sets the exit code and returns when everything is closed; it never throws. */
export async function start(): Promise<void> {
  try {
    const command = readCommand(process.argv.slice(2));
    process.exitCode = await carryOut(command, readConfig(process.env));
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    log(error instanceof Error ? error.message : String(error));
  }
}

async function carryOut(command: Command, config: Config): Promise<number> {
  if (command.name === 'stdio') return serveStdio(config);
  if (command.name === 'serve') {
    // A log that nobody reads any more ends no server.
    process.stderr.on('error', () => {});
    const { serveHttp } = await import('./serve.ts');
    const marketRefresh = marketRefreshOf(config);
    const options = { ...command, rate: command.rate ?? config.rate };
    return serveHttp(options, config, { starterPath: STARTER, marketRefresh, log });
  }
  // `… | head` closes the pipe early: that is no fault of the command.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const { carryOutCommand } = await import('./cli.ts');
  return carryOutCommand(command, config, { starterPath: STARTER, log, print });
}

/** MCP on stdin and stdout until the input ends or a signal comes; then drain, model, store. */
async function serveStdio(config: Config): Promise<number> {
  const session = createSession(config, STARTER, log, { marketRefresh: marketRefreshOf(config) });
  const createServer = mcpServerFactory(operations, VERSION);
  const server = serveOnStdio(
    () =>
      createServer((operation, input, report) =>
        run(operation, input, { ...session.caller, report }),
      ),
    process.stdin,
    process.stdout,
    log,
  );
  process.once('SIGINT', server.close);
  process.once('SIGTERM', server.close);
  await server.finished;
  await session.close();
  return 0;
}

/** Made when the shelf is opened: it needs SQLite, for which the handshake must not wait. */
function marketRefreshOf(config: Config): () => Promise<MarketRefresh> {
  return async () => {
    const { createMarketRefresh } = await import('./market-refresh.ts');
    const lock = syncLockPath(config.home, 'markets');
    return createMarketRefresh(PROGRAM, lock, () => new Date(), log);
  };
}

/** stdout carries JSON-RPC or a command's result; everything said to people goes to stderr. */
function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
