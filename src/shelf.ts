import type { Database } from 'better-sqlite3';
import { ensureLocalAccount, LOCAL_ACCOUNT, openAccount } from './accounts/accounts.ts';
import type { Capabilities } from './capabilities.ts';
import { type Config, storePath } from './config.ts';
import type { Account, Context } from './core/context.ts';
import { makeDirectory } from './core/directory.ts';
import { ServiceError } from './core/errors.ts';
import { migrations } from './schema.ts';
import { installFile } from './store/install.ts';
import { isNewer, migrate, pendingMigrations } from './store/migrations.ts';
import { openForReading, openForWriting } from './store/open.ts';
import { loadVectorExtension } from './store/search/vectors/extension.ts';
import { storedModel } from './store/vectors.ts';

/** The open shelf: what handlers see, who pays, and how to close it. */
export interface Shelf {
  context: Omit<Context, 'report'>;
  account: Account;
  /** Read-only connection, for `status` and `doctor`. */
  db: Database;
  /** Writable connection: accounts and ledger. */
  writer: Database;
  /** Stamp of the model that the store's vectors came from; undefined while it holds none. */
  model: string | undefined;
  /** Whether a newer version has changed the store since it was opened. */
  isOutdated(): boolean;
  close(): Promise<void>;
}

/** How long a call waits for another process that is installing the shelf, in milliseconds. */
const INSTALL_MS = 30_000;
const NO_EXTENSION =
  'Search is lexical only: sqlite-vec, an SQLite extension, cannot be loaded here. `quantshelf doctor` tells more.';
const UPGRADING = 'bringing the shelf up to date; a large one takes half a minute, once';

/**
 * Opens the user's store, putting the starter shelf in its place first when there is none, and
 * bringing an older one up to date. Throws `service_unavailable` with what to do when it cannot.
 */
export async function openShelf(
  config: Pick<Config, 'home' | 'credits'>,
  starterPath: string,
  tools: Pick<Context, 'now' | 'embedQuery' | 'policy'> & Omit<Capabilities, 'close'>,
  log: (line: string) => void,
  stopping: AbortSignal,
): Promise<Shelf> {
  const path = storePath(config.home);
  const opened: Database[] = [];
  try {
    // Accounts live here: nobody else on the machine needs to read them.
    await makeDirectory(config.home, 0o700);
    await installFile(
      starterPath,
      path,
      AbortSignal.any([stopping, AbortSignal.timeout(INSTALL_MS)]),
    );
    const writer = openForWriting(path);
    opened.push(writer);
    if (pendingMigrations(writer, migrations).length > 0) log(UPGRADING);
    migrate(writer, migrations, tools.now());
    ensureLocalAccount(writer, config.credits, tools.now());
    const db = openForReading(path);
    opened.push(db);
    const fault = loadVectorExtension(db);
    if (fault !== null) log(`sqlite-vec: ${fault.message}`);
    const account = openAccount(writer, LOCAL_ACCOUNT, tools.now);
    return {
      context: {
        ...tools,
        ...(fault === null ? {} : { embedQuery: async () => ({ unavailable: NO_EXTENSION }) }),
        db,
        freshenPaper: (...call) => tools.freshenPaper(writer, ...call),
        freshenSeries: (...call) => tools.freshenSeries(writer, ...call),
        refreshMarkets: (...call) => tools.refreshMarkets(writer, ...call),
      },
      account,
      db,
      writer,
      model: storedModel(db),
      isOutdated: () => isNewer(db, migrations),
      close: async () => closeAll(db, writer),
    };
  } catch (error) {
    for (const one of opened) one.close();
    throw shelfError(error);
  }
}

/** What the caller is told when the shelf cannot be opened; the cause goes to the log. */
function shelfError(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const error = new ServiceError(
    'service_unavailable',
    `${remedyFor(cause)} \`quantshelf doctor\` tells more.`,
  );
  error.cause = cause;
  return error;
}

function remedyFor(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message : '';
  if (/bindings file|ERR_DLOPEN_FAILED|NODE_MODULE_VERSION/.test(`${code} ${message}`)) {
    return (
      'The native part of better-sqlite3 is missing or was built for another Node, because npm did ' +
      'not run its install script. Run `npm cache npx rm`, then start with ' +
      '`npx -y --allow-scripts=better-sqlite3 quantshelf`.'
    );
  }
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') {
    return 'The disk is full, so the shelf cannot be opened. Free some space and call again.';
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return 'Another process is writing to the shelf, or bringing it up to date. Try again in a moment.';
  }
  if (cause instanceof DOMException) {
    return 'Another process is setting up the shelf. Try again in a moment.';
  }
  if (
    /^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOENT|ELOOP|SQLITE_CANTOPEN|SQLITE_READONLY)/.test(code)
  ) {
    return 'The data directory cannot be written. Set QUANTSHELF_HOME to a directory that can.';
  }
  return 'The shelf cannot be opened.';
}

function closeAll(db: Database, writer: Database): void {
  db.close();
  try {
    // The log of the write-ahead journal goes into the file, so that a copy of it is whole.
    writer.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // On a full disk it stays in the journal, which is read with the file: the work is done.
  } finally {
    writer.close();
  }
}
