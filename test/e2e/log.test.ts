import { expect, it } from 'vitest';
import { makeHome, NO_DOWNLOAD, quantshelf } from './support.ts';
import { startWire, Wire } from './wire.ts';

const ONLINE = { ...NO_DOWNLOAD, QUANTSHELF_OFFLINE: '0', QUANTSHELF_PACE_MS: '5' };
const SEARCH = ['call', 'paper_search', '{"query":"rough volatility"}'] as const;

/** Expects short lines of plain text without stack traces. */
function expectPlain(log: string): void {
  for (const line of log.trimEnd().split('\n')) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]| at \S+ \(|node:internal|\.js:\d/u);
    expect(line.length).toBeLessThan(1_000);
  }
}

it('the log says in one line that the configured directory lacks the model', async () => {
  const { code, stderr } = await quantshelf(SEARCH, makeHome(), {
    QUANTSHELF_MODEL_DIR: makeHome(),
  });
  expect(code).toBe(0);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toContain('QUANTSHELF_MODEL_DIR');
  expectPlain(stderr);
});

it('a failed download of the model is logged without a stack trace', async () => {
  const wire = await startWire(makeHome(), ONLINE);
  await wire.ask('paper_search', { query: 'rough volatility' });
  await expect.poll(() => wire.stderr).toContain('could not be downloaded');
  await wire.finish();
  expectPlain(wire.stderr);
});

it('client input puts no control characters into the log', async () => {
  const wire = await startWire(makeHome());
  wire.write(
    '{"jsonrpc":"2.0","id":1,"method":"\\u001b[2J\\nforged","params":{}}\n\u001b[2Jforged\n',
  );
  await wire.ping('after');
  await wire.finish();
  expectPlain(wire.stderr);
});

it('an uncaught error is logged in one line of limited length, and ends the process with code 1', async () => {
  const fatal = "process.on('SIGUSR2',()=>{throw new Error('boom'.repeat(20000))})";
  const wire = new Wire(makeHome(), {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fatal)}`,
  });
  await wire.initialize();
  wire.child.kill('SIGUSR2');
  expect(await wire.ended).toEqual({ code: 1, signal: null });
  expect(wire.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(wire.stderr).toContain('fatal: ');
  expect(wire.stderr.length).toBeLessThan(5_000);
});
