import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/store/sqlite.ts';
import { TEST_KEY } from '../stand-ins/fred.ts';
import { type Silent, startSilent } from '../stand-ins/silent.ts';
import { connect, connectTo, envelopeOf, eras } from './hosts.ts';
import { ask, makeKey, type Serving, serveForTest } from './serving.ts';
import { books } from './store.ts';
import { type Env, makeHome, online, storeIn } from './support.ts';
import { resultOf, startWire } from './wire.ts';

/** A paid call that waits for FRED, and its arguments. */
const HISTORY = 'macro_indicator_history';
const UNRATE = { series_id: 'UNRATE', limit: 3 };
const ROUTE = '/api/macro/historical?series_id=UNRATE&limit=3';

/** A home whose programs query a FRED that never answers. */
async function silentFred(): Promise<{ home: string; fred: Silent; env: Env }> {
  const fred = await startSilent();
  onTestFinished(() => fred.close());
  const env = { QUANTSHELF_FRED_URL: fred.url, FRED_API_KEY: TEST_KEY };
  return { home: makeHome(), fred, env: online([{ env }]) };
}

/** A server that queries a FRED that never answers, and a key for the server. */
async function serveSilent() {
  const { home, fred, env } = await silentFred();
  const key = await makeKey(home, 'ada');
  return { home, fred, env, key, serving: await serveForTest(home, { env }) };
}

/** The call's line in a server's log. */
const logged = (serving: Serving) =>
  serving
    .said()
    .split('\n')
    .find((each) => each.includes(HISTORY));

/** Aborts a call that has reached the upstream, and expects the upstream request to stop. */
async function cancelAtWork(call: (signal: AbortSignal) => Promise<unknown>, fred: Silent) {
  const cancelling = new AbortController();
  const calling = call(cancelling.signal);
  const refused = expect(calling).rejects.toThrow();
  await expect.poll(() => fred.open).toBe(1);
  cancelling.abort();
  await refused;
  await expect.poll(() => fred.open).toBe(0);
}

it.each(
  eras.flatMap((era) => [
    [era, 'stdio', 'local', 100_000] as const,
    [era, 'HTTP', 'ada', 10_000] as const,
  ]),
)(
  'a call that a client of the %s era cancels over %s costs nothing, and its work stops',
  async (era, door, account, credits) => {
    const { home, fred, key, serving, env } = await serveSilent();
    const isHttp = door === 'HTTP';
    const host = await (isHttp ? connectTo(era, serving.url, key) : connect(era, home, env));
    await cancelAtWork((signal) => host.call(HISTORY, UNRATE, signal), fred);
    const reply = envelopeOf(await host.call('macro_indicator_search', {}));
    expect(reply.meta).toMatchObject({ remainingCredits: credits });
    expect(books(home, account).paid).toEqual([]);
    if (isHttp) await expect.poll(() => logged(serving)).toContain(' credits=0 ');
  },
);

it('a call can be cancelled by its id only from its own session', async () => {
  const { home, fred, key, serving } = await serveSilent();
  const post = (session: string, message: object) =>
    ask(serving.url, key, '/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: '*/*', 'Mcp-Session-Id': session },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const params = { name: HISTORY, arguments: UNRATE };
  const called = post('mine', { id: 7, method: 'tools/call', params });
  await expect.poll(() => fred.open).toBe(1);
  const cancel = { method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await post('another', cancel)).status).toBe(202);
  expect(fred.open).toBe(1);
  expect((await post('mine', cancel)).status).toBe(202);
  await expect.poll(() => fred.open).toBe(0);
  expect(await (await called).text()).toContain('The call was cancelled before its reply.');
  expect(books(home, 'ada').paid).toEqual([]);
});

it('a REST call whose client disconnects costs nothing and is logged as cancelled', async () => {
  const { home, fred, key, serving } = await serveSilent();
  await cancelAtWork((signal) => ask(serving.url, key, ROUTE, { signal }), fred);
  await expect.poll(() => logged(serving)).toMatch(/ \/api\/macro\/historical 499 .* credits=0 /);
  expect(books(home, 'ada').paid).toEqual([]);
});

it('a cancelled call does not stop work that another call waits for', async () => {
  const { home, fred, env } = await silentFred();
  const wire = await startWire(home, env);
  wire.sendCall('first', HISTORY, UNRATE);
  wire.sendCall('second', HISTORY, UNRATE);
  await expect.poll(() => fred.open).toBe(1);
  wire.send({ method: 'notifications/cancelled', params: { requestId: 'first' } });
  await wire.ping('after');
  expect(fred.open).toBe(1);
  fred.fail();
  expect(resultOf(await wire.response('second')).structuredContent).toHaveProperty('data');
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
  expect(wire.frames.filter((frame) => 'id' in frame && frame.id === 'first')).toEqual([]);
  expect(books(home).paid).toHaveLength(1);
});

it('a hundred calls that wait for an upstream can all be cancelled, at no charge', async () => {
  const { home, fred, env } = await silentFred();
  const wire = await startWire(home, env);
  const ids = Array.from({ length: 100 }, (_, id) => id);
  for (const id of ids) wire.sendCall(id, HISTORY, UNRATE);
  await expect.poll(() => fred.open).toBe(1);
  for (const requestId of ids) {
    wire.send({ method: 'notifications/cancelled', params: { requestId } });
  }
  await wire.ping('after');
  await expect.poll(() => fred.open).toBe(0);
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
  expect(books(home).paid).toEqual([]);
});

it('each of two hundred cancelled calls is either both answered and charged, or neither', async () => {
  const home = makeHome();
  const wire = await startWire(home);
  const [count, group] = [200, 50];
  const asLine = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  for (let first = 0; first < count; first += group) {
    const ids = Array.from({ length: group }, (_, at) => first + at);
    const calls = ids.map((id) => {
      const params = { name: 'paper_search', arguments: { query: `volatility ${id}`, topK: 1 } };
      return asLine({ id, method: 'tools/call', params });
    });
    const cancel = (requestId: number) =>
      asLine({ method: 'notifications/cancelled', params: { requestId } });
    // Half of the cancellations are sent with the calls, the rest after the first response.
    wire.write([...calls, ...ids.filter((id) => id % 2 === 1).map(cancel)].join(''));
    await wire.response(first);
    wire.write(ids.map(cancel).join(''));
  }
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
  const responses = wire.frames.filter((frame) => 'id' in frame && typeof frame.id === 'number');
  expect(responses.length).toBeLessThan(count);
  expect(books(home).paid).toHaveLength(responses.length);
  expect(wire.stderr).not.toMatch(/not open|Error|\n\s+at /);
});

it('while another process writes, charged calls over stdio wait, but free calls are answered', async () => {
  const home = makeHome();
  const wire = await startWire(home);
  await wire.ask('macro_indicator_search', {});
  const other = new Database(storeIn(home));
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  for (const id of ['paid', 'cancelled']) {
    wire.sendCall(id, 'prediction_market_event_browse', { limit: 1 });
  }
  await wire.ping('ping');
  expect(await wire.ask('macro_indicator_search', {})).toHaveProperty('data');
  wire.send({ method: 'notifications/cancelled', params: { requestId: 'cancelled' } });
  await wire.ping('again');
  expect(wire.frames.some((frame) => 'id' in frame && frame.id === 'paid')).toBe(false);
  other.exec('COMMIT');
  expect(resultOf(await wire.response('paid')).structuredContent).toMatchObject({
    meta: { creditsUsed: 1 },
  });
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
  expect(books(home).paid).toHaveLength(1);
});
