import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { AREAS, type Area } from '../core/area.ts';
import { codeOf, invalidRequest, notFound } from '../core/errors.ts';
import { write } from '../store/connection.ts';
import { hasAccount, LOCAL_ACCOUNT, openAccount, type StoredAccount } from './accounts.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Number of random characters in a key: 190 bits. */
const SECRET_LENGTH = 32;
/** Length of the prefix, stored in plain text for look-up and display; 143 bits stay secret. */
const PREFIX_LENGTH = 'qs_'.length + 8;
const KEY = new RegExp(`^qs_[0-9A-Za-z]{${SECRET_LENGTH}}$`);
/** Compared if the prefix is unknown, so that timing does not reveal whether it exists. */
const NO_HASH = Buffer.alloc(32);

/** A row of `keys list`. Times are ISO 8601. */
export interface KeyRow {
  name: string;
  credits: number;
  scopes: Area[];
  created: string;
  revoked: string | null;
  /** Start of the key; null for the built-in account, which has none. */
  prefix: string | null;
}

/** Creates an account with a key; stores its prefix and hash only. Throws `invalid_request` if the name is taken. */
export function createKey(
  db: Database,
  account: { name: string; credits: number; scopes: readonly Area[] },
  at: Date,
): { name: string; key: string; credits: number; scopes: Area[] } {
  const { name, credits } = account;
  const scopes = AREAS.filter((area) => account.scopes.includes(area));
  const key = drawKey();
  const addAccount = db.prepare(
    'INSERT INTO accounts (name, credits, created) VALUES (@name, @credits, @created)',
  );
  const addKey = db.prepare(
    'INSERT INTO keys (account, prefix, hash, scopes) VALUES (@name, @prefix, @hash, @scopes)',
  );
  write(db, () => {
    if (hasAccount(db, name)) {
      throw invalidRequest(
        `An account named "${name}" already exists. Choose another name; the name of a revoked key cannot be reused.`,
      );
    }
    addAccount.run({ name, credits, created: at.toISOString() });
    const prefix = key.slice(0, PREFIX_LENGTH);
    addKey.run({ name, prefix, hash: hashOf(key), scopes: scopes.join(',') });
  });
  return { name, key, credits, scopes };
}

function drawKey(): string {
  const draw = () => BASE62[randomInt(BASE62.length)];
  return `qs_${Array.from({ length: SECRET_LENGTH }, draw).join('')}`;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Revokes a key permanently and returns the time of its first revocation, ISO 8601. Throws `not_found` for an
 * account without a key, and SQLite's error if a full disk prevents the write.
 */
export function revokeKey(db: Database, name: string, at: Date): string {
  const revoke = db.prepare(
    'UPDATE keys SET revoked = @at WHERE account = @name AND revoked IS NULL',
  );
  const read = db
    .prepare<{ name: string }, string>('SELECT revoked FROM keys WHERE account = @name')
    .pluck();
  const change = () => {
    revoke.run({ name, at: at.toISOString() });
    return read.get({ name });
  };
  const revoked = writeWithinLog(db, change);
  if (revoked !== undefined) return revoked;
  throw notFound(
    name === LOCAL_ACCOUNT
      ? `"${LOCAL_ACCOUNT}" is this machine's own account and has no key.`
      : 'There is no key with this name. `quantshelf keys list` shows all keys.',
  );
}

/**
 * Like `write`, but on a full disk checkpoints the write-ahead log and tries again: the log then starts over
 * within the space it already occupies.
 */
function writeWithinLog<T>(db: Database, work: () => T): T {
  try {
    return write(db, work);
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_FULL') throw error;
    db.pragma('wal_checkpoint(PASSIVE)');
    return write(db, work);
  }
}

/** All accounts including the built-in one, oldest first. */
export function listKeys(db: Database): KeyRow[] {
  return db
    .prepare<[], Omit<KeyRow, 'scopes'> & { scopes: string | null }>(`
      SELECT name, credits, scopes, created, revoked, prefix
      FROM accounts LEFT JOIN keys ON account = name
      ORDER BY created, accounts.rowid`)
    .all()
    .map((row) => ({ ...row, scopes: row.scopes === null ? [...AREAS] : readScopes(row.scopes) }));
}

function readScopes(stored: string): Area[] {
  const names = stored.split(',');
  return AREAS.filter((area) => names.includes(area));
}

/**
 * Returns a function that finds a key's account; undefined for a malformed, unknown or revoked key.
 * Each look-up reads the store, so that a revocation takes effect in every process at once. `db` must
 * be writable, since accounts are charged through it.
 */
export function createKeyFinder(
  db: Database,
  now: () => Date,
): (key: string) => StoredAccount | undefined {
  const find = db.prepare<
    { prefix: string },
    { account: string; hash: Buffer; scopes: string; revoked: string | null }
  >('SELECT account, hash, scopes, revoked FROM keys WHERE prefix = @prefix');
  return (key) => {
    if (!KEY.test(key)) return undefined;
    const row = find.get({ prefix: key.slice(0, PREFIX_LENGTH) });
    const isSame = timingSafeEqual(hashOf(key), row?.hash ?? NO_HASH);
    if (row === undefined || !isSame || row.revoked !== null) return undefined;
    return { ...openAccount(db, row.account, now), scopes: readScopes(row.scopes) };
  };
}

/** Ledger totals of one account. */
export interface Usage {
  /** Number of charged calls. */
  calls: number;
  credits: number;
  /** Time of the last call, ISO 8601; null if there was none. */
  last: string | null;
  operations: { operation: string; calls: number; credits: number }[];
}

/** Ledger totals by account and operation, for accounts with at least one row. */
export function summariseLedger(db: Database): Map<string, Usage> {
  const rows = db
    .prepare<
      [],
      { account: string; operation: string; calls: number; credits: number; last: string }
    >(`
      SELECT account, operation, count(*) AS calls, sum(credits) AS credits, max(at) AS last
      FROM ledger GROUP BY account, operation ORDER BY account, operation`)
    .all();
  const usage = new Map<string, Usage>();
  for (const { account, last, ...entry } of rows) {
    const sum = usage.get(account) ?? { calls: 0, credits: 0, last: null, operations: [] };
    sum.calls += entry.calls;
    sum.credits += entry.credits;
    if (sum.last === null || last > sum.last) sum.last = last;
    sum.operations.push(entry);
    usage.set(account, sum);
  }
  return usage;
}
