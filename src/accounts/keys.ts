import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { invalidRequest, notFound } from '../core/errors.ts';
import { AREAS, type Area } from '../core/operation.ts';
import { LOCAL_ACCOUNT, openAccount, type StoredAccount } from './accounts.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A key without its start, in characters: 190 bits. */
const SECRET_LENGTH = 32;
/** So much of a key is kept in clear, to find it and to tell keys apart; 143 bits stay secret. */
const PREFIX_LENGTH = 'qs_'.length + 8;
const KEY = new RegExp(`^qs_[0-9A-Za-z]{${SECRET_LENGTH}}$`);
/** Compared with when no key has the prefix, so that the answer takes as long. */
const NO_HASH = Buffer.alloc(32);

/** A key's account as lists show it. Times are ISO 8601. */
export interface KeyRow {
  name: string;
  credits: number;
  scopes: Area[];
  created: string;
  revoked: string | null;
  /** Beginning of the key; null for the built-in account, which has none. */
  prefix: string | null;
}

/**
 * Makes an account with a key and its first credits. The key is in the result and nowhere else.
 * Throws `invalid_request` when the name is taken.
 */
export function createKey(
  db: Database,
  wanted: { name: string; credits: number; scopes: readonly Area[] },
  at: Date,
): { name: string; key: string; credits: number; scopes: Area[] } {
  const { name, credits } = wanted;
  const scopes = AREAS.filter((area) => wanted.scopes.includes(area));
  const key = drawKey();
  const add = db.transaction(() => {
    const taken = db.prepare<{ name: string }>('SELECT 1 FROM accounts WHERE name = @name');
    if (taken.get({ name }) !== undefined) {
      throw invalidRequest(
        `There is an account "${name}" already; a name is used once. Choose another.`,
      );
    }
    db.prepare(`
      INSERT INTO accounts (name, credits, created) VALUES (@name, @credits, @created)`).run({
      name,
      credits,
      created: at.toISOString(),
    });
    db.prepare(`
      INSERT INTO keys (account, prefix, hash, scopes)
      VALUES (@name, @prefix, @hash, @scopes)`).run({
      name,
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: hashOf(key),
      scopes: scopes.join(','),
    });
  });
  add.immediate();
  return { name, key, credits, scopes };
}

function drawKey(): string {
  const draw = () => BASE62[randomInt(BASE62.length)];
  return `qs_${Array.from({ length: SECRET_LENGTH }, draw).join('')}`;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Shuts a key for good; returns when that was. Throws `not_found` where there is none to shut. */
export function revokeKey(db: Database, name: string, at: Date): string {
  const revoked = db
    .prepare<{ name: string; at: string }, string>(`
      UPDATE keys SET revoked = coalesce(revoked, @at) WHERE account = @name RETURNING revoked`)
    .pluck()
    .get({ name, at: at.toISOString() });
  if (revoked !== undefined) return revoked;
  throw notFound(
    name === LOCAL_ACCOUNT
      ? `"${LOCAL_ACCOUNT}" is the account of this machine's own user and has no key.`
      : 'There is no key of this name. `quantshelf keys list` shows all.',
  );
}

/** All accounts in the order in which they were made, the built-in one among them. */
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
 * Tells whose key a caller shows: a function from the key to its account, or undefined for a key
 * that is malformed, unknown or revoked. Asks the store each time, so that a revocation counts at
 * once in every process. `db` is writable: the account is charged through it.
 */
export function createKeyFinder(
  db: Database,
  now: () => Date,
): (key: string) => StoredAccount | undefined {
  const find = db.prepare<
    { prefix: string },
    { account: string; hash: Buffer; scopes: string; revoked: string | null }
  >('SELECT account, hash, scopes, revoked FROM keys WHERE prefix = @prefix');
  const accounts = new Map<string, StoredAccount>();
  const open = (name: string, scopes: string): StoredAccount => {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    // Scopes never change, so an account is opened once.
    const account = { ...openAccount(db, name, now), scopes: readScopes(scopes) };
    accounts.set(name, account);
    return account;
  };
  return (key) => {
    if (!KEY.test(key)) return undefined;
    const found = find.get({ prefix: key.slice(0, PREFIX_LENGTH) });
    const isSame = timingSafeEqual(hashOf(key), found?.hash ?? NO_HASH);
    if (found === undefined || !isSame || found.revoked !== null) return undefined;
    return open(found.account, found.scopes);
  };
}
