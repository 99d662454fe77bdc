import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { ensureLocalAccount, LOCAL_ACCOUNT, openAccount } from './accounts/accounts.ts';
import type { Config } from './config.ts';
import type { Account, Context } from './core/context.ts';
import { ServiceError } from './core/errors.ts';
import { migrations } from './schema.ts';
import { installFile } from './store/install.ts';
import { migrate } from './store/migrations.ts';
import { openForReading, openForWriting } from './store/open.ts';

/** The open shelf: what handlers see, who pays, and how to close it. */
export interface Shelf {
  context: Context;
  account: Account;
  /** Read-only connection, for `status` and `doctor`. */
  db: Database;
  /** Writable connection: the ledger, and later the areas' ingest. */
  writer: Database;
  close(): void;
}

export function storePath(home: string): string {
  return join(home, 'quantshelf.sqlite');
}

/**
 * Opens the user's store, putting the starter shelf in its place first when there is none, and
 * bringing an older one up to date. Throws `service_unavailable` with what to do when it cannot.
 */
export async function openShelf(
  config: Pick<Config, 'home' | 'credits'>,
  starterPath: string,
  tools: { now: () => Date; embedQuery: (db: Database) => Context['embedQuery'] },
): Promise<Shelf> {
  const path = storePath(config.home);
  let writer: Database | undefined;
  try {
    await mkdir(config.home, { recursive: true });
    await installFile(starterPath, path);
    writer = openForWriting(path);
    migrate(writer, migrations, tools.now());
    ensureLocalAccount(writer, config.credits, tools.now());
    const db = openForReading(path);
    const account = openAccount(writer, LOCAL_ACCOUNT, tools.now);
    const context: Context = { db, now: tools.now, embedQuery: tools.embedQuery(db) };
    return { context, account, db, writer, close: () => closeBoth(db, writer) };
  } catch (error) {
    writer?.close();
    throw error instanceof ServiceError ? error : new ShelfError(error);
  }
}

/** The shelf could not be opened. The caller reads the sentence; the cause is for the log. */
export class ShelfError extends ServiceError {
  constructor(cause: unknown) {
    super(
      'service_unavailable',
      'The shelf cannot be opened. Run `quantshelf doctor` to see why and how to mend it.',
    );
    this.cause = cause;
  }
}

function closeBoth(db: Database, writer: Database | undefined): void {
  db.close();
  // The log of the write-ahead journal goes into the file, so that a copy of it is whole.
  writer?.pragma('wal_checkpoint(PASSIVE)');
  writer?.close();
}
