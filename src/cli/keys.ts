import type { Database } from 'better-sqlite3';
import { grantCredits } from '../accounts/accounts.ts';
import {
  createKey,
  type KeyRow,
  listKeys,
  revokeKey,
  summariseLedger,
  type Usage,
} from '../accounts/api-keys.ts';
import type { LazyApp } from '../app/lazy-app.ts';
import type { Area } from '../core/area.ts';
import { isDiskFull } from '../core/disk.ts';
import { serviceUnavailable } from '../core/errors.ts';
import { countOf } from '../core/text.ts';
import { type Terminal, toMinute } from './terminal.ts';

export type KeysCommand =
  | { name: 'keys create'; account: string; credits: number; scopes: Area[]; json: boolean }
  | { name: 'keys list'; usage: boolean; json: boolean }
  | { name: 'keys grant'; account: string; credits: number; json: boolean }
  | { name: 'keys revoke'; account: string; json: boolean };

type Listed = KeyRow & { usage?: Usage };

/** Runs `quantshelf keys`; returns the exit code. */
export async function manageKeys(
  app: LazyApp,
  command: KeysCommand,
  { print, log }: Pick<Terminal, 'print' | 'log'>,
): Promise<number> {
  const { writer, home } = await app.open();
  const { result, text } = changeKeys(writer, command, home);
  print(command.json ? JSON.stringify(result) : text);
  if (command.name === 'keys create' && !command.json) {
    const { account, credits, scopes } = command;
    // On stderr, so that a script can read the key from stdout.
    log(
      `The key of "${account}" (${countOf(credits, 'credit')}; ${scopes.join(', ')}) will not be shown again.`,
    );
  }
  return 0;
}

/** Runs one account command; returns its output as JSON and as text. */
function changeKeys(
  writer: Database,
  command: KeysCommand,
  home: string | undefined,
): { result: unknown; text: string } {
  const at = new Date();
  switch (command.name) {
    case 'keys create': {
      const { account: name, credits, scopes } = command;
      const result = createKey(writer, { name, credits, scopes }, at);
      return { result, text: result.key };
    }
    case 'keys list': {
      const usage = command.usage ? summariseLedger(writer) : undefined;
      const result = listKeys(writer).map(
        (row): Listed => (usage ? { ...row, usage: usage.get(row.name) ?? UNUSED } : row),
      );
      return { result, text: result.map(renderRow).join('\n') };
    }
    case 'keys grant': {
      const { account: name } = command;
      const credits = grantCredits(writer, name, command.credits);
      return { result: { name, credits }, text: `${name}: ${countOf(credits, 'credit')}` };
    }
    case 'keys revoke': {
      const { account: name } = command;
      const revoked = revoke(writer, name, at, home);
      return { result: { name, revoked }, text: `${name}: revoked at ${revoked}` };
    }
  }
}

function revoke(writer: Database, name: string, at: Date, home: string | undefined): string {
  try {
    return revokeKey(writer, name, at);
  } catch (error) {
    if (!isDiskFull(error, home)) throw error;
    throw serviceUnavailable(
      `The disk is full, so the key of "${name}" still works. Free some space and run this again; ` +
        'until then, only stopping `quantshelf serve` blocks it.',
    );
  }
}

const UNUSED: Usage = { calls: 0, credits: 0, last: null, operations: [] };

function renderRow({ name, credits, scopes, created, revoked, prefix, usage }: Listed): string {
  const state = revoked === null ? '' : `, revoked ${revoked.slice(0, 10)}`;
  const key = prefix === null ? 'no key (used by stdio and this command line)' : `${prefix}…`;
  const line = `${name.padEnd(20)} ${countOf(credits, 'credit')}, ${key}, ${scopes.join(' ')}, created ${created.slice(0, 10)}${state}`;
  if (usage === undefined) return line;
  const last = usage.last === null ? '' : `, last ${toMinute(usage.last)}`;
  return [
    line,
    `${' '.repeat(21)}${countOf(usage.calls, 'paid call')}, ${countOf(usage.credits, 'credit')} spent${last}`,
    ...usage.operations.map(
      (each) =>
        `${' '.repeat(23)}${each.operation}: ${countOf(each.calls, 'call')}, ${countOf(each.credits, 'credit')}`,
    ),
  ].join('\n');
}
