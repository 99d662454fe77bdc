import { existsSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import {
  accountMigrations,
  ensureLocalAccount,
  LOCAL_ACCOUNT,
  openAccount,
  type StoredAccount,
} from '../accounts/accounts.ts';
import { macroMigrations } from '../areas/macro/tables.ts';
import { marketMigrations } from '../areas/markets/tables.ts';
import { paperMigrations } from '../areas/papers/tables.ts';
import { type Config, storePath } from '../config.ts';
import type { Account, Charge } from '../core/context.ts';
import { creationFault, makeDirectory, REMEDIES, storeFaultOf } from '../core/disk.ts';
import { codeOf, filesChanged, ServiceError, serviceUnavailable } from '../core/errors.ts';
import { whenFree, writeForCall } from '../store/connection.ts';
import { installFile } from '../store/copy.ts';
import { assertOwnStore, type Migration, migrate, pendingMigrations } from '../store/migrations.ts';
import { assertFile, openForCalls, openForWriting, openReadOnly } from '../store/open.ts';
import { loadVectorExtension } from '../store/sqlite.ts';
import { settingsMigrations, syncLogMigrations } from '../store/state.ts';
import { upstreamMigrations } from '../store/upstreams.ts';

/** All migrations. Append a new step to the end of its area's list. */
export const migrations: readonly Migration[] = [
  ...settingsMigrations,
  ...upstreamMigrations,
  ...syncLogMigrations,
  ...accountMigrations,
  ...paperMigrations,
  ...macroMigrations,
  ...marketMigrations,
];

/** The open store, and the account that pays for calls on this machine. */
export interface Store {
  account: Account;
  /** Connection for calls; see `openForCalls`. */
  db: Database;
  /** Writable connection; read-only if the data directory is not writable. */
  writer: Database;
  /** Detects that the store's file has been replaced. */
  file: FileWatch;
  /** Whether sqlite-vec could be loaded; without it search is lexical only. */
  hasVectorSearch: boolean;
  close(): void;
}

/** Longest wait for another process that is installing the store, in milliseconds. */
const INSTALL_MS = 30_000;

/**
 * Opens the user's store. Installs the starter store if there is none, and migrates an older store. If
 * the data directory is not writable, an existing store is opened for free calls.
 * Throws `service_unavailable` with a remedy.
 */
export async function openStore(
  config: Pick<Config, 'home' | 'credits'>,
  at: {
    starterPath: string;
    now(): Date;
    log(line: string): void;
    /** Ends the wait for another process that is installing the store. */
    signal: AbortSignal;
  },
): Promise<Store> {
  const path = storePath(config.home);
  const opened: Database[] = [];
  try {
    await makeDirectory(config.home);
    assertFile(path);
    const isEmptied = statSync(path, { throwIfNoEntry: false })?.size === 0;
    const waiting = AbortSignal.any([at.signal, AbortSignal.timeout(INSTALL_MS)]);
    await installFile(at.starterPath, path, waiting);
    if (isEmptied) {
      at.log(
        `${path} was empty and was replaced by the starter shelf. \`quantshelf restore FILE\` restores a backup.`,
      );
    }
    // Watch before opening, since a restore may replace the file in between.
    const file = watchFile(path);
    refuseUnreadable(path);
    const writer = openForWriting(path);
    opened.push(writer);
    migrate(writer, migrations, at.now());
    ensureLocalAccount(writer, config.credits, at.now());
    const { db, vectorFault } = openForCalls(path);
    opened.push(db);
    if (vectorFault !== null) at.log(`sqlite-vec: ${vectorFault.message}`);
    file.assertInPlace();
    return {
      file,
      account: chargeInPlace(openAccount(db, LOCAL_ACCOUNT, at.now), { db, file }),
      hasVectorSearch: vectorFault === null,
      db,
      writer,
      close: () => closeAll(db, writer),
    };
  } catch (error) {
    for (const one of opened) one.close();
    if (codeOf(error) === 'ENOENT' && !existsSync(at.starterPath)) throw filesChanged(error);
    if (existsSync(path) && creationFault(config.home) === 'unwritable') {
      try {
        return openUnwritable(path, at.now);
      } catch (cause) {
        throw toUnavailable(cause, config.home);
      }
    }
    throw toUnavailable(error, config.home);
  }
}

const NO_UPGRADE =
  'This shelf was written by an older QuantShelf and cannot be upgraded, because the data directory is not writable. ' +
  'Copy the directory to a writable disk and set QUANTSHELF_HOME to the copy.';
const NO_CHARGES =
  'The data directory is not writable, so nothing can be charged: free calls work, as do ' +
  '`quantshelf export` without --query and `quantshelf status`. Copy the directory to a writable disk and set ' +
  'QUANTSHELF_HOME to the copy.';

/** Opens an existing store read-only, in a directory that is not writable. */
function openUnwritable(path: string, now: () => Date): Store {
  const file = watchFile(path);
  const db = openReadOnly(path);
  try {
    assertOwnStore(db);
    if (pendingMigrations(db, migrations).length > 0) throw serviceUnavailable(NO_UPGRADE);
    const charge = () => {
      throw serviceUnavailable(NO_CHARGES);
    };
    return {
      file,
      db,
      writer: db,
      account: { ...openAccount(db, LOCAL_ACCOUNT, now), charge },
      hasVectorSearch: loadVectorExtension(db) === null,
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Returns `account` with a `charge` that waits for other writers, and throws if the store's file was replaced. */
export function chargeInPlace(
  account: StoredAccount,
  { db, file }: Pick<Store, 'db' | 'file'>,
): Account {
  const charge = (entry: Charge) => {
    file.assertInPlace();
    return writeForCall(db, () => account.charge(entry));
  };
  return { ...account, charge: (entry, signal) => whenFree(() => charge(entry), signal) };
}

type FileWatch = ReturnType<typeof watchFile>;

/** Records which file is at the path, to detect its replacement. A check takes a few microseconds. */
function watchFile(path: string) {
  const look = () => {
    const file = statSync(path, { bigint: true, throwIfNoEntry: false });
    return file === undefined ? 'none' : `${file.dev}:${file.ino}`;
  };
  const opened = look();
  const isReplaced = () => look() !== opened;
  return {
    isReplaced,
    /** Throws `service_unavailable` if the file was replaced; the next call uses the new one. */
    assertInPlace(): void {
      if (!isReplaced()) return;
      throw serviceUnavailable(
        "The shelf's file was replaced or removed while in use. " +
          'Call again to use the current file. Nothing was charged.',
      );
    },
  };
}

/** Throws unless the file is a store that this version can read. Never changes the file. */
function refuseUnreadable(path: string): void {
  const db = openReadOnly(path);
  try {
    assertOwnStore(db);
    pendingMigrations(db, migrations);
  } finally {
    db.close();
  }
}

/** The error that callers see when the store cannot be opened; the cause goes to the log. */
function toUnavailable(cause: unknown, home: string): ServiceError {
  if (cause instanceof ServiceError) return cause;
  // The wait for another process that is installing the store ends with a DOMException.
  const fault = cause instanceof DOMException ? 'busy' : storeFaultOf(cause, home);
  const unknown = 'The shelf cannot be opened. Run `quantshelf doctor` for details.';
  return serviceUnavailable(fault === null ? unknown : REMEDIES[fault], cause);
}

function closeAll(db: Database, writer: Database): void {
  try {
    db.close();
    // Checkpoint the write-ahead log, so that a copy of the file alone is complete.
    writer.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // Fails on a full disk, for example. Nothing is lost: the log stays beside the file, and SQLite reads it.
  } finally {
    writer.close();
  }
}
