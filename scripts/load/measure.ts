import autocannon from 'autocannon';
import * as z from 'zod';
import { quantile } from '../bench/figures.ts';
import { command, type LoadServer, makeKey, startBare, startServe } from './servers.ts';

const CONNECTIONS = 32;
/** Alternating between both servers, so that a slower machine affects both. */
const ROUNDS = 3;
/** Targets on a machine with two cores. */
const TARGET = { perSecond: 2_000, p99: 60 } as const;

/** The measured calls by name. */
export const CALLS = {
  'browse, 5 events': '/api/prediction_market/events?limit=5',
  'history, 60 observations': '/api/macro/historical?indicator=us.nonfarm_payrolls',
} as const;

/** One line of the table. */
export interface Row {
  what: string;
  value: string;
  target?: string;
  isMet?: boolean;
}

interface Shot {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Requests per second over 32 connections, compared with a bare server that sends the same bytes. */
export async function measureThroughput(home: string, seconds: number): Promise<Row[]> {
  const key = makeKey(home, 'throughput', 100_000_000);
  const ours = await startServe(home);
  const bare = await startBare(home, await recordAnswers(ours.url, key));
  const rows: Row[] = [];
  for (const [what, path] of Object.entries(CALLS)) {
    const shots: { ours: Shot[]; bare: Shot[] } = { ours: [], bare: [] };
    // Warm-up: compiles code and fills caches.
    await shoot(ours.url + path, key, 2);
    await shoot(bare.url + path, key, 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      shots.bare.push(await shoot(bare.url + path, key, seconds));
      shots.ours.push(await shoot(ours.url + path, key, seconds));
    }
    const [mine, floor] = [median(shots.ours), median(shots.bare)];
    rows.push(
      {
        what,
        value: describe(mine),
        target: `at least ${TARGET.perSecond} req/s, p99 < ${TARGET.p99} ms`,
        isMet: mine.perSecond >= TARGET.perSecond && mine.p99 < TARGET.p99,
      },
      {
        what: '  bare Node server, same bytes',
        value: `${describe(floor)}: ${(floor.perSecond / mine.perSecond).toFixed(1)} times as many`,
      },
    );
  }
  await bare.stop();
  await ours.stop();
  return rows;
}

/** A server's responses to the calls, with headers and bodies. */
export async function recordAnswers(url: string, key: string) {
  const answers: Record<string, { headers: Record<string, string>; body: string }> = {};
  for (const path of Object.values(CALLS)) {
    // The load asks for no compression either, and fetch would undo it but keep its headers.
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' };
    const response = await fetch(url + path, { headers });
    const body = await response.text();
    if (!response.ok) throw new Error(body);
    const own = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
    const sent = [...response.headers].filter(([name]) => !own.includes(name));
    answers[path] = { headers: Object.fromEntries(sent), body };
  }
  return answers;
}

async function shoot(url: string, key: string, seconds: number): Promise<Shot> {
  const { latency, requests, non2xx, errors, timeouts } = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    headers: { authorization: `Bearer ${key}` },
  });
  if (non2xx + errors + timeouts > 0) {
    throw new Error(`${url}: ${non2xx} error responses, ${errors} errors, ${timeouts} timeouts`);
  }
  return { perSecond: requests.average, p50: latency.p50, p99: latency.p99 };
}

function median(shots: readonly Shot[]): Shot {
  const of = (name: keyof Shot) =>
    quantile(
      shots.map((shot) => shot[name]),
      0.5,
    );
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') };
}

function describe({ perSecond, p50, p99 }: Shot): string {
  return `${perSecond.toFixed(0)} req/s, p50 ${p50} ms, p99 ${p99} ms`;
}

const DRAINS = 40;

const listed = z.array(
  z.looseObject({
    name: z.string(),
    credits: z.number(),
    usage: z.looseObject({ calls: z.number(), credits: z.number() }),
  }),
);

/** 40 clients on two servers with one store, until the credits are used up. */
export async function measureDrains(home: string, planned = 2_000): Promise<Row[]> {
  const name = 'drained';
  const key = makeKey(home, name, planned);
  const servers = await Promise.all([startServe(home), startServe(home)]);
  const headers = { authorization: `Bearer ${key}` };
  let answers = 0;
  const drain = async ({ url }: LoadServer) => {
    for (;;) {
      const response = await fetch(`${url}/api/prediction_market/events?limit=1`, { headers });
      const body = await response.text();
      if (response.status === 402) return;
      if (response.status !== 200) throw new Error(body);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: DRAINS / 2 }, () => servers.map(drain)).flat());
  await Promise.all(servers.map((server) => server.stop()));
  const account = listed
    .parse(command(home, 'keys', 'list', '--usage'))
    .find((each) => each.name === name);
  if (account === undefined) throw new Error('the key is missing');
  const { credits, usage } = account;
  return [
    {
      what: `${DRAINS} clients using up ${planned} credits on two servers`,
      value: `${answers} responses, ${usage.calls} in the ledger, ${usage.credits} spent, ${credits} left`,
      target: `exactly ${planned}`,
      isMet: [answers, usage.calls, usage.credits].every((n) => n === planned) && credits === 0,
    },
  ];
}

/** Samples of memory over `requests` requests that alternate between both calls. */
export async function measureMemory(home: string, requests: number): Promise<Row[]> {
  const key = makeKey(home, 'memory', 100_000_000);
  const server = await startServe(home);
  const started = server.memory();
  const paths = Object.values(CALLS);
  const parts = 20;
  const samples: number[] = [];
  for (let part = 0; part < parts; part += 1) {
    const { non2xx, errors } = await autocannon({
      url: `${server.url}${paths[part % paths.length]}`,
      connections: CONNECTIONS,
      amount: Math.ceil(requests / parts),
      headers: { authorization: `Bearer ${key}` },
    });
    if (non2xx + errors > 0) throw new Error(`${non2xx} error responses, ${errors} errors`);
    samples.push(server.memory());
  }
  await server.stop();
  const show = (from: number, to: number) => quantile(samples.slice(from, to), 0.5);
  const [early, late] = [show(5, 10), show(15, 20)];
  return [
    {
      what: `memory over ${requests.toLocaleString('en-US')} requests, MB`,
      value: `${started.toFixed(0)} at the start; ${samples.map((each) => each.toFixed(0)).join(' ')}`,
    },
    {
      what: '  medians of the second and the last quarter, MB',
      value: `${early.toFixed(0)} and ${late.toFixed(0)}`,
      target: 'growth below 10 %',
      isMet: late < early * 1.1,
    },
  ];
}
