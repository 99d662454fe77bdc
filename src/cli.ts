import { randomUUID } from 'node:crypto';
import type { Command } from './command-line.ts';
import { describeJsonFault } from './command-line-json.ts';
import { examine, renderChecks } from './commands/doctor.ts';
import { helpText } from './commands/help.ts';
import { manageKeys } from './commands/keys.ts';
import { fetchModelNow } from './commands/model.ts';
import { describeStatus, renderStatus } from './commands/status.ts';
import { syncAll } from './commands/sync.ts';
import { type Config, UsageError } from './config.ts';
import { invalidRequest, ServiceError } from './core/errors.ts';
import { nearest } from './core/input.ts';
import type { Operation } from './core/operation.ts';
import { type Outcome, run, toFailure } from './core/run.ts';
import { MODEL } from './embedding/model.ts';
import { isModelPresent } from './model-tools.ts';
import { findOperation, operations } from './operations.ts';
import { createSession, type Session } from './session.ts';
import { VERSION } from './version.ts';

export interface Terminal {
  starterPath: string;
  /** A line for people, on stderr. */
  log(line: string): void;
  /** A line of the result, on stdout. */
  print(line: string): void;
}

type Line = Exclude<Command, { name: 'stdio' | 'serve' }>;

/** Carries out one command and returns the exit code. */
export async function carryOutCommand(
  command: Line,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  switch (command.name) {
    case 'help':
      terminal.print(helpText(operations));
      return 0;
    case 'version':
      terminal.print(VERSION);
      return 0;
    case 'doctor': {
      const report = await examine(config);
      terminal.print(command.json ? JSON.stringify(report) : renderChecks(report.checks));
      return report.ok ? 0 : 1;
    }
    case 'model':
      return fetchModelNow(config, command.json, terminal);
    case 'sync':
      return onShelf(config, terminal, (session) => syncAll(session, config, command, terminal));
    case 'call':
      return onShelf(config, terminal, (session) => call(session, command, terminal));
    case 'status':
      return onShelf(config, terminal, async (session) => {
        const model = { id: MODEL.id, present: await isModelPresent(config) };
        const status = await describeStatus(await session.shelf(), config.home, model);
        terminal.print(command.json ? JSON.stringify(status) : renderStatus(status));
        return 0;
      });
    case 'keys create':
    case 'keys list':
    case 'keys grant':
    case 'keys revoke':
      return onShelf(config, terminal, async (session) => {
        terminal.print(manageKeys(await session.shelf(), command));
        return 0;
      });
  }
}

async function call(
  session: Session,
  command: Extract<Command, { name: 'call' }>,
  terminal: Terminal,
): Promise<number> {
  const operation = findOperation(command.operation);
  if (operation === undefined) {
    const names = operations.map((each) => each.name);
    const near = nearest(command.operation, names);
    const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
    throw new UsageError(
      `There is no operation of this name.${meant} There are: ${names.join(', ')}.`,
    );
  }
  const fault = describeJsonFault(command.input);
  const outcome =
    fault === undefined
      ? await run(operation, JSON.parse(command.input), session.caller)
      : await refuse(operation, fault, session, terminal);
  terminal.print(JSON.stringify(outcome.envelope, null, 2));
  return outcome.ok ? 0 : 1;
}

/** What a call is told whose arguments are no JSON. */
async function refuse(
  { name, example }: Operation,
  fault: string,
  session: Session,
  { log }: Terminal,
): Promise<Outcome> {
  const cause = invalidRequest(
    `The arguments of ${name} must be one JSON object, and these are no JSON: ${fault}. ` +
      `Write them like '${JSON.stringify(example)}', the single quotes for the shell.`,
  );
  const { account } = await session.shelf();
  return toFailure(cause, { requestId: randomUUID(), name, account, log });
}

async function onShelf(
  config: Config,
  terminal: Terminal,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  const session = createSession(config, terminal.starterPath, terminal.log);
  try {
    return await work(session);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    terminal.log(error.message);
    return 1;
  } finally {
    await session.close();
  }
}
