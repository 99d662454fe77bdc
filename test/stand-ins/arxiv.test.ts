import { afterEach, describe, expect, it } from 'vitest';
import { type StandIn, type StandInOptions, startArxiv } from './arxiv.ts';
import { makePapers } from './arxiv-papers.ts';
import { makeHold } from './faults.ts';

const started: StandIn[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((standIn) => standIn.close()));
});

async function start(options: Partial<StandInOptions> = {}) {
  const standIn = await startArxiv({ records: makePapers(4), ...options });
  started.push(standIn);
  const url = `${standIn.bases.oaiUrl}?verb=ListRecords&metadataPrefix=arXiv`;
  return { standIn, ask: (init?: RequestInit) => fetch(url, { redirect: 'manual', ...init }) };
}

describe('the stand-in for arXiv', () => {
  it('applies faults in order, then answers as usual', async () => {
    const { standIn, ask } = await start();
    standIn.fault(/verb=ListRecords/, [
      { kind: 'status', status: 503, retryAfter: 10 },
      { kind: 'none' },
      { kind: 'status', status: 429 },
    ]);
    standIn.fault('/pdf/', [{ kind: 'status', status: 500 }]);
    const busy = await ask();
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '10']);
    expect((await ask()).status).toBe(200);
    const limited = await ask();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, null]);
    expect(await (await ask()).text()).toContain('</OAI-PMH>');
    expect(standIn.faultsLeft).toBe(1);
  });

  it('breaks connections before and during a body', async () => {
    const { standIn, ask } = await start();
    standIn.fault('/oai', [{ kind: 'reset' }, { kind: 'truncated' }]);
    await expect(ask()).rejects.toThrow();
    const half = await ask();
    expect(Number(half.headers.get('content-length'))).toBeGreaterThan(1_000);
    await expect(half.text()).rejects.toThrow();
  });

  it('sends half a document with a correct Content-Length', async () => {
    const { standIn, ask } = await start();
    standIn.fault('/oai', [{ kind: 'cut' }]);
    const cut = await ask();
    const text = await cut.text();
    expect(Buffer.byteLength(text)).toBe(Number(cut.headers.get('content-length')));
    expect(text).not.toContain('</OAI-PMH>');
  });

  it('delays requests, some forever', async () => {
    const { standIn, ask } = await start();
    const { fault, release } = makeHold();
    standIn.fault('/oai', [fault, { kind: 'hang' }]);
    const asked = ask();
    await expect.poll(() => standIn.requests.length).toBe(1);
    expect(standIn.requests[0]?.endedAt).toBeUndefined();
    release();
    expect((await asked).status).toBe(200);
    await expect(ask({ signal: AbortSignal.timeout(60) })).rejects.toThrow();
  });

  it('logs the user agent, the times and any overlap of requests', async () => {
    const { standIn, ask } = await start();
    await (await ask({ headers: { 'user-agent': 'quantshelf/test' } })).text();
    await (await ask()).text();
    expect(standIn.maxInFlight).toBe(1);
    const { fault, release } = makeHold();
    standIn.fault('/oai', [fault, fault]);
    const both = [ask(), ask()].map(async (asked) => (await asked).text());
    await expect.poll(() => standIn.requests.length).toBe(4);
    release();
    await Promise.all(both);
    expect(standIn.maxInFlight).toBe(2);
    expect(standIn.requests.map(({ overlapped }) => overlapped)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(standIn.requests[0]?.userAgent).toBe('quantshelf/test');
    for (const { startedAt, endedAt } of standIn.requests) {
      expect(endedAt).toBeGreaterThanOrEqual(startedAt);
    }
  });

  it('compresses for clients that accept it', async () => {
    const { ask } = await start({ gzip: true });
    const packed = await ask();
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.text()).toContain('</OAI-PMH>');
    const plain = await ask({ headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });
});
