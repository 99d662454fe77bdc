import { createLazyApp, type LazyApp } from '../app/lazy-app.ts';
import type { Config } from '../config.ts';
import { nameHome, REMEDIES, storeFaultOf } from '../core/disk.ts';
import { ServiceError, UsageError } from '../core/errors.ts';
import { nearest, printable } from '../core/input.ts';
import { run } from '../core/run.ts';
import { parseJson } from '../core/text.ts';
import { findOperation, operations } from '../operations.ts';
import type { Invocation } from './commands.ts';
import { manageKeys } from './keys.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command and returns its exit code. */
export async function runCommand(
  command: Invocation,
  config: Config,
  shown: Terminal,
): Promise<number> {
  const terminal = { ...shown, log: (line: string) => shown.log(nameHome(line, config.home)) };
  switch (command.name) {
    case 'init':
      return (await import('./init.ts')).configureHost(command, config, terminal);
    case 'doctor':
      return (await import('./doctor.ts')).runDoctor(config, command, terminal);
    case 'model':
      return (await import('./model.ts')).prepareModel(config, command.json, terminal);
    case 'backup':
    case 'restore':
      return (await import('./backup.ts')).runBackup(command, config, terminal);
    case 'serve':
      return (await import('./serve.ts')).serveHttp(command, config, terminal);
    default:
      return runWithApp(command, config, terminal);
  }
}

/** Runs a command that opens the store. */
async function runWithApp(
  command: Exclude<
    Invocation,
    { name: 'init' | 'doctor' | 'model' | 'backup' | 'restore' | 'serve' }
  >,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  const { log } = terminal;
  const app = createLazyApp(config, { mode: 'one-shot', log });
  try {
    switch (command.name) {
      case 'call':
        return await callOperation(app, command, terminal);
      case 'sync':
        return await (await import('./sync.ts')).runSync(app, config, command, terminal);
      case 'add':
        return await (await import('./own.ts')).addPapers(app, config, command, terminal);
      case 'remove':
        return await (await import('./own.ts')).removePapers(app, command, terminal);
      case 'status':
        return await (await import('./status.ts')).printStatus(app, config, command, terminal);
      case 'export':
        return await (await import('./export.ts')).exportArea(app, command, config, terminal);
      default:
        return await manageKeys(app, command, terminal);
    }
  } catch (error) {
    const fault = storeFaultOf(error, config.home);
    if (fault !== null) {
      log(REMEDIES[fault]);
      return 1;
    }
    if (!(error instanceof ServiceError)) throw error;
    log(error.message);
    if (typeof error.cause === 'string') log(error.cause);
    return 1;
  } finally {
    await app.close();
  }
}

/** `quantshelf call`: prints the reply of an operation. Throws a UsageError if the operation is unknown. */
async function callOperation(
  app: LazyApp,
  { operation: name, input }: { operation: string; input: string },
  { log, print }: Terminal,
): Promise<number> {
  const operation = findOperation(name);
  if (operation === undefined) {
    const names = operations.map((each) => each.name);
    const near = nearest(name, names);
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    throw new UsageError(
      `Unknown operation "${printable(name)}".${hint} The operations are: ${names.join(', ')}.`,
    );
  }
  const causes: string[] = [];
  const note = (line: string) => void causes.push(line);
  const value = parseJson(input);
  // `run` rejects text that is not JSON.
  const args = value === undefined ? input : value;
  const result = await run(operation, args, { open: app.open, log: note });
  // The reply already explains a full disk; SQLite's own message would mislead.
  const isFull = !result.ok && result.envelope.error.message === REMEDIES.full;
  if (!isFull) causes.forEach(log);
  print(JSON.stringify(result.envelope, null, 2));
  return result.ok ? 0 : 1;
}
