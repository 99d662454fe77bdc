import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { accountMigrations, createCallLimiter } from '../../../../src/accounts/accounts.ts';
import { createKey, createKeyFinder } from '../../../../src/accounts/api-keys.ts';
import { AREAS, type Area } from '../../../../src/core/area.ts';
import type { Context } from '../../../../src/core/context.ts';
import { notFound } from '../../../../src/core/errors.ts';
import { wholeNumber } from '../../../../src/core/fields.ts';
import { defineOperation, type Operation } from '../../../../src/core/operation.ts';
import { createHttpDoor, type HttpDoorOptions } from '../../../../src/doors/http/door.ts';
import { createHostGuard } from '../../../../src/doors/http/request.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting, openReadOnly } from '../../../../src/store/open.ts';
import { offline } from '../../../context.ts';
import { temporaryDirectory } from '../../../temporary.ts';

const output = z.record(z.string(), z.unknown());
const meta = { asOf: '2026-11-21T00:00:00.000Z' };

/** Operations that reply with their own arguments: a GET, one with an argument in its path, a POST. */
function probes(hold: Promise<void> | undefined): readonly Operation[] {
  const common = (name: string, area: Area, price: number) => {
    return { name, area, price, title: 'Probe', description: 'Probes.', output };
  };
  return [
    defineOperation({
      ...common('probe_get', 'macro', 1),
      method: 'GET',
      path: '/api/probe/get',
      input: z.object({ q: z.string().optional(), limit: wholeNumber(1, 100, 20, 'l') }),
      example: {},
      handler: async (input) => ({ data: input, meta }),
    }),
    defineOperation({
      ...common('probe_item', 'markets', 0),
      method: 'GET',
      path: '/api/probe/items/{item_id}',
      input: z.object({ item_id: z.string(), full: z.string().optional() }),
      example: { item_id: 'a' },
      async handler(input) {
        if (input.item_id === 'none') throw notFound('No item has this id.', 'item_id');
        if (input.item_id === 'bug') throw new Error('a secret of the house');
        return { data: input, meta };
      },
    }),
    defineOperation({
      ...common('probe_post', 'papers', 2),
      method: 'POST',
      path: '/api/probe/items/post',
      input: z.object({ query: z.string() }),
      example: { query: 'x' },
      async handler(input, { report }) {
        report('at work');
        await hold;
        return { data: input, meta };
      },
    }),
  ];
}

interface DoorOptions {
  rate?: number;
  takeCall?: HttpDoorOptions['takeCall'];
  credits?: number;
  scopes?: readonly Area[];
  /** Awaited by `probe_post`. */
  hold?: Promise<void>;
  pages?: HttpDoorOptions['pages'];
}

/** A snapshot of the first store, shared by all doors. */
let empty: Buffer | undefined;

/** A door on its own store, with one key and no port. */
export function openDoor(options: DoorOptions = {}) {
  const path = join(temporaryDirectory(), 'store.sqlite');
  if (empty !== undefined) writeFileSync(path, empty);
  const db = openForWriting(path);
  // Tests need no durability, and would mostly wait for the disk.
  db.pragma('synchronous = OFF');
  if (empty === undefined) {
    migrate(db, accountMigrations, new Date());
    empty = db.serialize();
  }
  const reader = openReadOnly(path);
  onTestFinished(() => {
    reader.close();
    db.close();
  });
  const clock = { at: Date.parse('2026-11-21T12:00:00Z') };
  const now = () => new Date(clock.at);
  const { credits = 100, scopes = AREAS } = options;
  const { key } = createKey(db, { name: 'ada', credits, scopes }, now());
  const context: Omit<Context, 'report'> = {
    ...offline,
    db: reader,
    now,
    embedQuery: async () => ({ unavailable: 'no model in this test' }),
  };
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const findKey = createKeyFinder(db, now);
  const door = createHttpDoor({
    table: { operations: probes(options.hold), resources: [], prompts: [] },
    version: '0.0.0-test',
    checkOrigin: createHostGuard('127.0.0.1', []),
    findAccount: async (key) => findKey(key),
    takeCall: options.takeCall ?? createCallLimiter(db, options.rate ?? 1000, now),
    openFor: async (account) => ({ context, account }),
    pages: options.pages ?? {},
    now,
    log,
  });
  const bare = (path: string, init: RequestInit = {}) =>
    door.fetch(new Request(`http://127.0.0.1:8787${path}`, init));
  /** Sends the key; with a body, a POST of JSON. */
  const ask = (path: string, init: RequestInit = {}) =>
    bare(path, {
      ...(init.body === undefined ? {} : { method: 'POST' }),
      ...init,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...init.headers,
      },
    });
  const balance = () => db.prepare('SELECT credits FROM accounts').pluck().get();
  return { door, db, balance, key, lines, clock, bare, ask };
}

const refused = z.object({
  data: z.undefined().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), param: z.string().optional() })
    .extend({ requestId: z.uuid() }),
  meta: z.looseObject({ creditsUsed: z.literal(0), remainingCredits: z.number() }).optional(),
});

/** Status and error of a refusal; its body and header must have the same request id. */
export async function refusal(response: Response) {
  const { error } = refused.parse(await response.json());
  if (error.requestId !== response.headers.get('x-request-id')) throw new Error('two request ids');
  return { status: response.status, ...error };
}

/** The headers and `_meta` of a request of the protocol's version of 2026-07-28. */
export function currentEra(method: string) {
  const version = '2026-07-28';
  return {
    headers: { 'MCP-Protocol-Version': version, 'Mcp-Method': method },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}
