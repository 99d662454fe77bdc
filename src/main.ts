import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import type { Terminal } from './cli/terminal.ts';
import { findHome } from './core/disk.ts';
import { describeError, UsageError } from './core/errors.ts';
import { spellCommands, toLogLine } from './core/text.ts';

/** SIGHUP means that the terminal or the host is gone. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const terminal: Terminal = {
  // stdout carries JSON-RPC or a command's result; messages for people go to stderr.
  log: (line) => process.stderr.write(`${toLogLine(spellCommands(line))}\n`),
  print: (line) => process.stdout.write(`${spellCommands(line)}\n`),
  stopSignal(reason) {
    const stopping = new AbortController();
    const stop = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      // When a terminal closes, the system, the shell and npx may each send a SIGHUP.
      process.on('SIGHUP', () => {});
      stopping.abort(reason);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    return stopping.signal;
  },
};

/** Shown to a user who starts the server by hand; hosts connect a pipe. */
const AT_A_TERMINAL = [
  'QuantShelf is an MCP server and is waiting for a host to speak JSON-RPC. Press Ctrl+C to stop it.',
  'To connect a host, run `quantshelf init`. To try it without one, run `quantshelf call macro_indicator_search`.',
];

// Make new files readable by the user alone: the store holds accounts.
process.umask(0o077);
await start(process.argv.slice(2));

/** Sets the exit code and returns when everything is closed; never throws. */
async function start(argv: readonly string[]): Promise<void> {
  // Keep running when nobody reads the log any more.
  process.stderr.on('error', () => {});
  // Node would print the failing source line, which in the bundle is the whole program.
  process.on('uncaughtException', (error) => {
    terminal.log(`fatal: ${describeError(error)}`);
    process.exit(1);
  });
  try {
    const home = await findHome(process.env);
    // The cache applies only to modules loaded after this.
    enableCompileCache(home);
    const { readConfig } = await import('./config.ts');
    if (argv.length === 0) {
      if (process.stdin.isTTY) AT_A_TERMINAL.forEach(terminal.log);
      const { serveStdio } = await import('./cli/stdio.ts');
      process.exitCode = await serveStdio(readConfig(process.env, home), terminal);
      return;
    }
    // `… | head` closes the pipe early, which is not an error.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
      terminal.log(
        isFull
          ? 'The disk is full, so the output is incomplete. Free some space and run this again.'
          : `The output is incomplete (${error.code}).`,
      );
      process.exit(1);
    });
    const { readInvocation } = await import('./cli/program.ts');
    const command = readInvocation(argv, terminal.print);
    if (command === null) return;
    const { runCommand } = await import('./cli/run-command.ts');
    process.exitCode = await runCommand(command, readConfig(process.env, home), terminal);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.exitCode = isUsage ? 2 : 1;
    // The message may be the help, so keep its line breaks.
    if (isUsage) process.stderr.write(`${spellCommands(error.message)}\n`);
    else terminal.log(describeError(error));
    if (error instanceof Error && typeof error.cause === 'string') terminal.log(error.cause);
  }
}

/** Added to `node:module` in Node 22.1. */
type EnableCompileCache = (directory: string) => unknown;

/**
 * Caches the compiled code of modules that are loaded from now on. Does nothing until the home exists: opening
 * the store creates it with the right permissions.
 */
function enableCompileCache(home: string): void {
  const enable: EnableCompileCache | undefined = Reflect.get(module, 'enableCompileCache');
  if (enable !== undefined && existsSync(home)) enable(join(home, 'compile-cache'));
}
