import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { eras } from './hosts.ts';
import { aPricedRow, makeHome, modelDir, success } from './support.ts';
import { envelopeOf, resultOf, startWire, Wire } from './wire.ts';

describe('a server whose input ends', () => {
  it('exits without writing to stdout if it got no request', async () => {
    const wire = new Wire(makeHome());
    expect(await wire.finish()).toEqual({ code: 0, signal: null });
    expect(wire.frames).toEqual([]);
  });

  it.each(eras)(
    'replies to every call of a client of the %s era before it exits, even if the shelf does not exist yet',
    async (era) => {
      const wire = new Wire(makeHome());
      if (era === 'legacy') void wire.initialize();
      for (const { name, example } of operations) {
        if (era === 'legacy') wire.sendCall(name, name, example);
        else wire.sendModern(name, 'tools/call', { name, arguments: example });
      }
      expect(await wire.finish()).toEqual({ code: 0, signal: null });
      for (const { name } of operations) {
        expect(envelopeOf(await wire.response(name)), name).toHaveProperty('data');
      }
    },
  );

  it('responds to a last line without a line break before it exits', async () => {
    const wire = await startWire(makeHome());
    wire.write(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' }));
    expect(await wire.finish()).toEqual({ code: 0, signal: null });
    await wire.response('last');
  });
});

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
describe.each(SIGNALS)('the signal %s', (signal) => {
  it('ends an idle server whose input stays open', async () => {
    const wire = await startWire(makeHome());
    wire.child.kill(signal);
    expect(await wire.ended).toEqual({ code: 0, signal: null });
  });

  it('ends a server once it has replied to all calls already read', async () => {
    const wire = await startWire(makeHome());
    const row = aPricedRow();
    const params = { name: row.name, arguments: row.example };
    const calls = Array.from({ length: 20 }, (_, id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    );
    // The calls arrive in one write, so the first reply proves that all have been read.
    wire.write(`${calls.join('\n')}\n`);
    await wire.response(0);
    wire.child.kill(signal);
    expect(await wire.ended).toEqual({ code: 0, signal: null });
    for (let id = 0; id < 20; id += 1) resultOf(await wire.response(id));
  });
});

it("a server keeps serving a host that has closed the server's stderr", async () => {
  const wire = new Wire(makeHome());
  wire.child.stderr.destroy();
  await wire.initialize();
  for (let line = 0; line < 20; line += 1) {
    // The server logs the first ten of these.
    wire.write('no JSON\n');
    await wire.ping(line);
  }
  await wire.ask('macro_indicator_search', {});
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
});

it("a server exits if its host closes the server's stdout and goes on sending", async () => {
  const wire = await startWire(makeHome());
  wire.child.stdout.destroy();
  const ids = Array.from({ length: 40 }, (_, id) => id);
  const pings = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
  const flood = setInterval(() => wire.write(pings.join('')), 1);
  const end = await wire.ended;
  clearInterval(flood);
  expect(end.signal).toBeNull();
  expect(wire.stderr).not.toMatch(/Unhandled|\n\s+at /);
});

it('a call over stdio may have null arguments, which count as none', async () => {
  const wire = await startWire(makeHome());
  expect(await wire.ask('macro_indicator_search', null)).toHaveProperty('data');
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
});

describe("a server's stdout never carries", () => {
  it("Node's warnings or traces", async () => {
    const wire = new Wire(makeHome(), {
      NODE_OPTIONS: '--trace-warnings --trace-deprecation --pending-deprecation',
      NODE_DEBUG: 'fs,module',
      DEBUG: '*',
    });
    await wire.initialize();
    for (const name of ['prediction_market_event_search', 'paper_search']) {
      const { meta } = success.parse(await wire.ask(name, { query: 'Fed rate cut odds' }));
      expect(meta.notice).toMatch(/Lexical search only.*the embedding model/);
    }
    expect(await wire.finish()).toEqual({ code: 0, signal: null });
  });

  it.skipIf(modelDir === null)('output of the real model while it loads and searches', async () => {
    const wire = await startWire(makeHome(), { QUANTSHELF_MODEL_DIR: modelDir ?? '' });
    const row = operations.find(({ name }) => name === 'paper_search');
    wire.sendCall(1, 'paper_search', row?.example);
    // The input ends while the model is still loading.
    expect(await wire.finish()).toEqual({ code: 0, signal: null });
    const { data, meta } = success.parse(await wire.response(1).then(envelopeOf));
    expect(['strong', 'weak']).toContain(meta.verdict);
    expect(meta.notice ?? '').not.toMatch(/Lexical search only/);
    expect(data).not.toHaveLength(0);
  });
});
