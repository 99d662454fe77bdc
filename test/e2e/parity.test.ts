import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { Description, type HttpResponse } from '../unit/doors/http/description.ts';
import { listTools } from '../unit/doors/tools.ts';
import { connect, connectTo, envelopeOf, eras, type Host, misfit } from './hosts.ts';
import { makeShelf, runHere } from './in-process.ts';
import { ask, makeKey, type Serving, startServing } from './serving.ts';
import { edit, inspect } from './store.ts';
import {
  aPricedRow,
  type Envelope,
  envelope,
  LEAK,
  makeHome,
  quantshelf,
  storeIn,
} from './support.ts';

/** Every door gives the same replies: stdio and HTTP in both eras of MCP, REST, and `quantshelf call`. */

let home = '';
let serving: Serving;
let description: Description;
let key = '';

beforeAll(async () => {
  home = await makeShelf();
  key = await makeKey(home, 'doors');
  serving = await startServing(home);
  // Compiling the document takes seconds on a busy machine; the server may have closed an idle connection by
  // then.
  const headers = { Connection: 'close' };
  description = new Description(
    await (await fetch(`${serving.url}/openapi.json`, { headers })).text(),
  );
});
afterAll(() => serving.stop());

const VERSIONS = { current: '2026-07-28', legacy: '2025-11-25' };

it.each(eras)(
  'a real client of the %s era gets the same instructions and the published tools over stdio and HTTP',
  async (era) => {
    const stdio = await connect(era, makeHome(), {}, StdioClientTransport);
    const http = await connectTo(era, serving.url, key);
    for (const word of ['paper', 'macro', 'market', 'attribution', 'asOf', 'never instructions']) {
      expect(stdio.instructions).toContain(word);
    }
    expect(http.instructions).toBe(stdio.instructions);
    for (const host of [stdio, http]) {
      expect(host.version).toBe(VERSIONS[era]);
      expect(host.extensions).toEqual({
        'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
      });
      expect(await host.list()).toEqual(await listTools());
    }
  },
);

interface Call {
  operation: Operation;
  input: Record<string, unknown>;
}

/** Sends a call over REST, with its arguments in the path, the query or the body. */
async function askRest({ operation: { path, method }, input }: Call): Promise<HttpResponse> {
  const url = new URL(path, serving.url);
  for (const [name, value] of Object.entries(input)) {
    const inPath = encodeURIComponent(`{${name}}`);
    if (path.includes(`{${name}}`)) {
      url.pathname = url.pathname.replace(inPath, encodeURIComponent(String(value)));
    } else if (method === 'GET') url.searchParams.set(name, String(value));
  }
  const response = await ask(url.origin, key, url.pathname + url.search, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: method === 'POST' ? JSON.stringify(input) : null,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Whether a URL can express the arguments: it cannot express a list of one element. */
function fitsAnAddress({ operation: { method }, input }: Call): boolean {
  return method === 'POST' || Object.values(input).every((value) => typeof value !== 'object');
}

/** What must be the same at every door: all but request id, balance and one-time notices. */
function comparable(reply: Envelope): unknown {
  if ('error' in reply) {
    const { requestId: _, ...error } = reply.error;
    return { error, charged: reply.meta?.creditsUsed ?? null };
  }
  const { requestId: _, remainingCredits: __, notice = '', ...rest } = reply.meta;
  // Each process explains the starter shelf once.
  const others = notice.replace(
    /[.;]? ?the starter shelf is [^;]*?`quantshelf sync papers`\.?/i,
    '',
  );
  return { data: reply.data, meta: { ...rest, notice: others.replace(/\.$/, '') } };
}

/** Calls every door; expects the same reply from all, which matches the published schemas. */
async function askAllDoors(
  calls: readonly Call[],
): Promise<(Envelope & { rest?: HttpResponse })[]> {
  const hosts: Host[] = [];
  for (const era of eras)
    hosts.push(await connect(era, home), await connectTo(era, serving.url, key));
  const tools = await hosts[0]?.list();
  const replies = [];
  for (const call of calls) {
    const { name, path, method } = call.operation;
    const what = `${name} ${JSON.stringify(call.input).slice(0, 80)}`;
    const [first, ...others] = await Promise.all(
      hosts.map(async (host) => {
        const reply = await host.call(name, call.input);
        const schema = tools?.find((tool) => tool.name === name)?.outputSchema;
        expect(schema && misfit(schema, reply.structuredContent), what).toBeUndefined();
        expect(reply.isError === true, what).toBe('error' in reply.structuredContent);
        return envelopeOf(reply);
      }),
    );
    if (first === undefined) throw new Error('no host');
    for (const other of others) expect(comparable(other), what).toEqual(comparable(first));
    const rest = fitsAnAddress(call) ? await askRest(call) : undefined;
    if (rest !== undefined) {
      expect(comparable(envelope.parse(rest.body)), what).toEqual(comparable(first));
      expect(description.differences(path, method, rest), what).toEqual([]);
    }
    replies.push({ ...first, ...(rest && { rest }) });
  }
  return replies;
}

it('every door gives each example the same reply, which fits its schema and the OpenAPI document', async () => {
  const calls = operations.map((operation) => ({ operation, input: { ...operation.example } }));
  for (const [index, reply] of (await askAllDoors(calls)).entries()) {
    const row = operations[index];
    if ('error' in reply) throw new Error(`${row?.name}: ${reply.error.message}`);
    expect(reply.rest?.status, row?.name).toBe(200);
    expect(reply.meta.creditsUsed, row?.name).toBe(row?.price);
    // An example that finds nothing proves nothing.
    const { data } = reply;
    expect(Array.isArray(data) ? data : (data.events ?? [data]), row?.name).not.toHaveLength(0);
  }
});

/** A call that must fail: its error code, the argument at fault, and the remedy in the message. */
type Wrong = readonly [
  operation: string,
  input: Record<string, unknown>,
  code: 'invalid_request' | 'not_found',
  param: string,
  says: RegExp,
];

const EVENT = 'prediction_market_event';
const NOBODY = '00000000-0000-5000-8000-000000000000';
const wrongCalls: readonly Wrong[] = [
  ...operations.map(({ name, input, example }): Wrong => {
    const fields = Object.keys(input.shape);
    const extra = `${fields[0]}x`;
    const list = new RegExp(`has no argument .* Its arguments are: ${fields.join(', ')}`);
    return [name, { ...example, [extra]: 1 }, 'invalid_request', extra, list];
  }),
  ['paper_search', { query: { not: 'a text' } }, 'invalid_request', 'query', /"query" must be/],
  ['paper_search', { query: '𝛔'.repeat(2001) }, 'invalid_request', 'query', /; it has 2,001/],
  ['paper_read', { paperCardId: NOBODY }, 'not_found', 'paperCardId', /paper_search/],
  ['macro_indicator_history', { indicator: 'us.none' }, 'not_found', 'indicator', /_search/],
  [`${EVENT}_browse`, { cursor: 'bm90IGEgY3Vyc29y' }, 'invalid_request', 'cursor', /cursor/],
  [`${EVENT}_read`, { event_card_id: NOBODY }, 'not_found', 'event_card_id', /_(search|browse)/],
];

it('every door refuses a wrong call with the same remedy, and charges nothing', async () => {
  const calls = wrongCalls.map(([name, input]) => {
    const operation = operations.find((each) => each.name === name);
    if (operation === undefined) throw new Error(`no operation ${name}`);
    return { operation, input };
  });
  const balances = () =>
    inspect(home, (db) => db.prepare('SELECT name, credits FROM accounts').all());
  const before = balances();
  const replies = await askAllDoors(calls);
  for (const [index, reply] of replies.entries()) {
    const [name = '', input, code, param, says] = wrongCalls[index] ?? [];
    const what = `${name} ${JSON.stringify(input)}`;
    if (!('error' in reply)) throw new Error(`${what} succeeded`);
    expect({ code: reply.error.code, param: reply.error.param }, what).toEqual({ code, param });
    expect(reply.error.message, what).toMatch(says ?? /$./);
    expect(reply.error.message, what).not.toMatch(LEAK);
    const status = code === 'not_found' ? 404 : 400;
    if (reply.rest !== undefined) expect(reply.rest.status, what).toBe(status);
  }
  expect(replies.filter(({ rest }) => rest !== undefined).length).toBeGreaterThan(10);
  expect(balances()).toEqual(before);
});

/** Calls a row over MCP and by `quantshelf call`; expects the same reply. */
async function askShell(
  { name, example }: Operation,
  shelf: string,
  { env = {}, host = connect('current', shelf, env), start = quantshelf } = {},
): Promise<Envelope> {
  const result = await (await host).call(name, example);
  const ended = await start(['call', name, JSON.stringify(example)], shelf, env);
  const reply = envelopeOf(result);
  expect(comparable(envelope.parse(JSON.parse(ended.stdout))), name).toEqual(comparable(reply));
  expect({ isError: result.isError === true, code: ended.code }, name).toEqual(
    'error' in reply ? { isError: true, code: 1 } : { isError: false, code: 0 },
  );
  return reply;
}

it('an account without credits can use free operations only', async () => {
  const poor = makeHome();
  const env = { QUANTSHELF_CREDITS: '0' };
  const host = connect('current', poor, env);
  for (const row of operations) {
    const reply = await askShell(row, poor, { env, host, start: runHere });
    expect(reply, row.name).toMatchObject({ meta: { creditsUsed: 0, remainingCredits: 0 } });
    if (row.price === 0) expect(reply, row.name).toHaveProperty('data');
    else {
      const message = expect.stringContaining('quantshelf keys grant local');
      expect(reply, row.name).toMatchObject({ error: { code: 'insufficient_credits', message } });
    }
  }
});

async function expectUnavailable(shelf: string, says: RegExp): Promise<void> {
  const reply = await askShell(aPricedRow(), shelf);
  expect(reply).toMatchObject({
    error: { code: 'service_unavailable', message: expect.stringMatching(says) },
  });
  expect('error' in reply && reply.error.message).not.toMatch(LEAK);
}

describe('a shelf', () => {
  it.each([
    [
      'was written by a newer version',
      "INSERT INTO migrations (name, applied_at) VALUES ('papers-99', '2030-01-01')",
      /newer QuantShelf.*quantshelf@latest/,
    ],
    [
      'has tables of another schema',
      'ALTER TABLE accounts RENAME COLUMN credits TO debits',
      /cannot be opened.*quantshelf doctor/,
    ],
  ])('makes calls fail with an error that names a remedy if it %s', async (_, sql, says) => {
    const spoilt = await makeShelf();
    edit(storeIn(spoilt), sql);
    await expectUnavailable(spoilt, says);
  });

  it('makes calls fail with an error that names a remedy while its directory is a file, and serves them afterwards', async () => {
    const taken = join(makeHome(), 'file');
    writeFileSync(taken, '');
    await expectUnavailable(taken, /data directory is a file.*QUANTSHELF_HOME/);
    const host = await connect('current', join(taken, 'below'));
    const row = aPricedRow();
    expect(envelopeOf(await host.call(row.name, row.example))).toHaveProperty('error');
    rmSync(taken);
    expect(envelopeOf(await host.call(row.name, row.example))).toHaveProperty('data');
  });
});
