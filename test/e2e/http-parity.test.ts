import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { errorCases, LEAK } from './error-cases.ts';
import { connect, connectTo, envelopeOf, eras, type Host } from './hosts.ts';
import { makeShelf } from './in-process.ts';
import { requestOf } from './requests.ts';
import { makeKey, type Serving, serveForTest } from './serving.ts';
import { comparable, type Envelope, envelope } from './support.ts';

interface Call {
  operation: string;
  input: Record<string, unknown>;
}

let home = '';
beforeAll(async () => {
  home = await makeShelf();
});

function row(name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

async function askRest(serving: Serving, key: string, { operation, input }: Call) {
  const { path, init } = requestOf(row(operation), input);
  const headers = { Authorization: `Bearer ${key}`, ...init.headers };
  const response = await fetch(`${serving.url}${path}`, { ...init, headers });
  return { status: response.status, envelope: envelope.parse(await response.json()) };
}

/** What an address can say: text and numbers, and no list where one value is meant. */
function fitsAnAddress({ operation, input }: Call): boolean {
  const { method } = row(operation);
  return method === 'POST' || Object.values(input).every((value) => typeof value !== 'object');
}

/** The calls over stdio, over HTTP in both eras of MCP, and, where it can say them, by REST. */
async function askAllDoors(calls: readonly Call[], name: string, credits = '1000') {
  const key = await makeKey(home, name, '--credits', credits);
  const serving = await serveForTest(home);
  const stdio = await connect('current', home, { QUANTSHELF_CREDITS: credits });
  const viaHttp = await Promise.all(eras.map((era) => connectTo(era, serving.url, key)));
  const viaMcp = async (host: Host, { operation, input }: Call): Promise<Envelope> =>
    envelopeOf(await host.call(operation, input));
  const answers = [];
  for (const call of calls) {
    answers.push({
      call,
      expected: comparable(await viaMcp(stdio, call)),
      http: await Promise.all(viaHttp.map(async (host) => comparable(await viaMcp(host, call)))),
      rest: fitsAnAddress(call) ? await askRest(serving, key, call) : undefined,
    });
  }
  return answers;
}

const examples = operations.map(({ name, example }) => ({
  operation: name,
  input: { ...example },
}));

it('every door answers the example of every row alike', async () => {
  for (const { call, expected, http, rest } of await askAllDoors(examples, 'examples')) {
    for (const answer of http) expect(answer, call.operation).toEqual(expected);
    expect(rest?.status, call.operation).toBe(200);
    expect(rest && comparable(rest.envelope), call.operation).toEqual(expected);
  }
});

const STATUSES: Readonly<Record<string, number>> = { invalid_request: 400, not_found: 404 };

it('every door refuses every wrong call alike, and charges nothing', async () => {
  const answers = await askAllDoors(errorCases, 'errors');
  for (const [index, { call, expected, http, rest }] of answers.entries()) {
    const wrong = errorCases[index];
    for (const answer of http) expect(answer, wrong?.name).toEqual(expected);
    if (rest === undefined) continue;
    expect(comparable(rest.envelope), wrong?.name).toEqual(expected);
    expect(rest.status, call.operation).toBe(STATUSES[wrong?.code ?? '']);
    expect(JSON.stringify(rest.envelope)).not.toMatch(LEAK);
    expect(rest.envelope.meta?.remainingCredits).toBe(1000);
  }
  const viaRest = answers.filter(({ rest }) => rest !== undefined);
  expect(viaRest.length).toBeGreaterThan(20);
});

describe.each(eras)('a client of the %s era over HTTP', (era) => {
  it('is told the same of the server and its tools as over stdio', async () => {
    const key = await makeKey(home, `tools-${era}`);
    const serving = await serveForTest(home);
    const http = await connectTo(era, serving.url, key);
    const stdio = await connect(era, home);
    expect(http.version).toBe(stdio.version);
    expect(http.instructions).toBe(stdio.instructions);
    expect(await http.list()).toEqual(await stdio.list());
  });
});
