import { createLazyApp, type LazyApp } from '../app/lazy-app.ts';
import type { Config } from '../config.ts';
import { isDiskFull } from '../core/disk.ts';
import { ServiceError } from '../core/errors.ts';
import { callOperation } from './call.ts';
import type { Invocation } from './commands.ts';
import { manageKeys } from './keys.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command and returns its exit code; loads no more than the command needs. */
export async function runCommand(
  command: Invocation,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  switch (command.name) {
    case 'call':
      return withApp(config, terminal, (app) => callOperation(app, command, terminal));
    case 'sync': {
      const { runSync } = await import('./sync.ts');
      return withApp(config, terminal, (app) => runSync(app, config, command, terminal));
    }
    case 'status': {
      const { printStatus } = await import('./status.ts');
      return withApp(config, terminal, (app) => printStatus(app, config, command, terminal));
    }
    case 'export': {
      const { exportArea } = await import('./export.ts');
      return withApp(config, terminal, (app) => exportArea(app, command, config, terminal));
    }
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
      return withApp(config, terminal, (app) => manageKeys(app, command, terminal));
  }
}

async function withApp(
  config: Config,
  { log }: Terminal,
  work: (app: LazyApp) => Promise<number>,
): Promise<number> {
  const app = createLazyApp(config, { mode: 'one-shot', log });
  try {
    return await work(app);
  } catch (error) {
    if (isDiskFull(error, config.home)) {
      log('The disk is full. Free some space and run this again.');
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
