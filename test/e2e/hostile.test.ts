import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { makeHome, sharedData } from './support.ts';
import { resultOf, startWire, type Wire } from './wire.ts';

const parsing = join(sharedData, 'robustness', 'JSONTestSuite', 'test_parsing');

async function start(): Promise<Wire> {
  const wire = await startWire(makeHome());
  return wire;
}

/** Alive, in order, and able to end as it should. */
async function expectUnharmed(wire: Wire): Promise<void> {
  await wire.ping('alive');
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
}

describe('lines that are no requests', () => {
  const lines: Record<string, string | Uint8Array> = {
    'ids of wrong types': ['{}', '[]', 'null', 'true', '1.5']
      .map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
      .join(''),
    'notifications of nothing': [
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}\n',
      '{"jsonrpc":"2.0","method":"notifications/cancelled"}\n',
      '{"jsonrpc":"2.0","method":"notifications/no/such"}\n',
    ].join(''),
    'bytes that are no UTF-8': Uint8Array.from([
      0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 10,
    ]),
    'a byte order mark': '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
  };

  it('harm nobody', async () => {
    const wire = await start();
    for (const [name, line] of Object.entries(lines)) {
      wire.write(line);
      wire.write('\n');
      await wire.ping(`after ${name}`);
    }
    await expectUnharmed(wire);
  });

  it('a line of 40 million characters', async () => {
    const wire = await start();
    wire.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"q":"',
    );
    for (let million = 0; million < 40; million += 1) wire.write('x'.repeat(1_000_000));
    wire.write('"}}}\n');
    await expectUnharmed(wire);
  });
});

describe('requests that should not be', () => {
  it('a request in pieces of single bytes is put together', async () => {
    const wire = await start();
    for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"é😀","method":"ping"}\n')) {
      wire.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await wire.answer('é😀');
    await expectUnharmed(wire);
  });

  it('names and arguments that mean something to JavaScript', async () => {
    const wire = await start();
    // "__proto__" as an argument never arrives: the SDK leaves it out.
    const words = ['constructor', 'toString', 'hasOwnProperty', 'prototype', ''];
    for (const word of words) {
      const answer = await wire.call(`tool ${word}`, word, {});
      expect(answer).toMatchObject({ error: { code: -32602 } });
      for (const row of operations) {
        const input = `{${JSON.stringify(word)}:{"polluted":true}}`;
        const id = `${row.name} ${word}`;
        wire.write(
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${row.name}","arguments":${input}}}\n`,
        );
        expect(resultOf(await wire.answer(id)).structuredContent).toMatchObject({
          error: { code: 'invalid_request' },
        });
      }
    }
    expect(await wire.call('proto', '__proto__', {})).toMatchObject({ error: { code: -32602 } });
    await expectUnharmed(wire);
  });
});

describe.skipIf(!existsSync(parsing))('JSONTestSuite', () => {
  const files = existsSync(parsing) ? readdirSync(parsing).sort() : [];

  it('no file harms the server as a line', async () => {
    const wire = await start();
    for (const file of files) {
      wire.write(readFileSync(join(parsing, file)));
      wire.write('\n');
      await wire.ping(file);
    }
    await expectUnharmed(wire);
  });
});
