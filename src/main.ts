import { enableCompileCache } from './app/compile-cache.ts';
import type { Terminal } from './cli/terminal.ts';
import { findHome } from './core/home.ts';

/** SIGHUP comes when the terminal or the host is gone. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const terminal: Terminal = {
  // stdout carries JSON-RPC or a command's result; everything said to people goes to stderr.
  log: (line) => process.stderr.write(`${line}\n`),
  print: (line) => process.stdout.write(`${line}\n`),
  stopSignal(reason) {
    const stopping = new AbortController();
    const stop = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      stopping.abort(reason);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    return stopping.signal;
  },
};

/** For a user who started a server by hand; hosts connect a pipe. */
const AT_A_TERMINAL =
  'QuantShelf is an MCP server and waits here for a host to speak JSON-RPC; Ctrl+C ends it.\n' +
  'To connect a host: `quantshelf init`. Without one: `quantshelf call macro_indicator_search`, `quantshelf --help`.';

// Whatever is created is the user's alone: the store holds accounts.
process.umask(0o077);
await start(process.argv.slice(2));

/** Sets the exit code and returns when everything is closed; never throws. */
async function start(argv: readonly string[]): Promise<void> {
  // A log that nobody reads any more is no reason to end.
  process.stderr.on('error', () => {});
  let isUsage = (_: unknown) => false;
  try {
    const home = await findHome(process.env);
    // Only what is loaded later is compiled from the cache.
    enableCompileCache(home);
    const { readConfig, UsageError } = await import('./config.ts');
    isUsage = (error) => error instanceof UsageError;
    if (argv.length === 0) {
      if (process.stdin.isTTY) terminal.log(AT_A_TERMINAL);
      const { serveStdio } = await import('./cli/stdio.ts');
      process.exitCode = await serveStdio(readConfig(process.env, home), terminal);
      return;
    }
    // `… | head` closes the pipe early, which is not the command's fault.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
    const { readInvocation } = await import('./cli/program.ts');
    const command = readInvocation(argv, terminal.print);
    if (command === null) return;
    const { runCommand } = await import('./cli/run-command.ts');
    process.exitCode = await runCommand(command, readConfig(process.env, home), terminal);
  } catch (error) {
    process.exitCode = isUsage(error) ? 2 : 1;
    terminal.log(error instanceof Error ? error.message : String(error));
    // One line that names the cause, where there is one.
    if (error instanceof Error && typeof error.cause === 'string') terminal.log(error.cause);
  }
}
