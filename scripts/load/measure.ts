import autocannon from 'autocannon';
import * as z from 'zod';
import { quantile } from '../bench/figures.ts';
import { command, type LoadServer, makeKey, startBare, startServe } from './servers.ts';

const CONNECTIONS = 32;
/** By turns, so that a machine that slows down slows both. */
const ROUNDS = 3;
/** Goals on a machine with two cores. */
const TARGET = { perSecond: 2_000, p99: 60 } as const;

/** The calls that are measured, by what they are. */
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

/** Requests a second at 32 connections, beside a bare server that answers the same bytes. */
export async function measureThroughput(home: string, seconds: number): Promise<Row[]> {
  const key = makeKey(home, 'throughput', 100_000_000);
  const ours = await startServe(home);
  const bare = await startBare(home, await recordAnswers(ours.url, key));
  const rows: Row[] = [];
  for (const [what, path] of Object.entries(CALLS)) {
    const shots: { ours: Shot[]; bare: Shot[] } = { ours: [], bare: [] };
    // Compiled code and warm caches, as in a server that has run for a while.
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

/** What a server answers to the calls, headers and body. */
export async function recordAnswers(url: string, key: string) {
  const answers: Record<string, { headers: Record<string, string>; body: string }> = {};
  for (const path of Object.values(CALLS)) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    const body = await response.text();
    if (!response.ok) throw new Error(body);
    const own = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
    const headers = [...response.headers].filter(([name]) => !own.includes(name));
    answers[path] = { headers: Object.fromEntries(headers), body };
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
    throw new Error(`${url}: ${non2xx} refusals, ${errors} errors, ${timeouts} without an answer`);
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
const CREDITS = 2_000;

const listed = z.array(
  z.looseObject({
    name: z.string(),
    credits: z.number(),
    usage: z.looseObject({ calls: z.number(), credits: z.number() }),
  }),
);

/** 40 clients at two servers on one store, until each is told that the credits are gone. */
export async function measureDrains(home: string): Promise<Row[]> {
  const name = 'drained';
  const key = makeKey(home, name, CREDITS);
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
  if (account === undefined) throw new Error('the key is gone');
  const { credits, usage } = account;
  return [
    {
      what: `${DRAINS} parallel drains of ${CREDITS} credits, two servers`,
      value: `${answers} answers, ${usage.calls} in the ledger, ${usage.credits} spent, ${credits} left`,
      target: `exactly ${CREDITS}`,
      isMet: [answers, usage.calls, usage.credits].every((n) => n === CREDITS) && credits === 0,
    },
  ];
}

/** Samples of the memory over so many requests of both kinds, by turns. */
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
    if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors`);
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
      what: '  median of its second and of its last quarter, MB',
      value: `${early.toFixed(0)} and ${late.toFixed(0)}`,
      target: 'flat: less than a tenth more',
      isMet: late < early * 1.1,
    },
  ];
}
