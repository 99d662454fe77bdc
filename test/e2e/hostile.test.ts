import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput, printable } from '../../src/core/input.ts';
import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { differences } from '../part-of.ts';
import { LEAK } from './error-cases.ts';
import { envelope, makeHome, sharedData } from './support.ts';
import { resultOf, Wire } from './wire.ts';

const parsing = join(sharedData, 'robustness', 'JSONTestSuite', 'test_parsing');
const naughty = join(sharedData, 'robustness', 'blns', 'blns.json');

async function start(): Promise<Wire> {
  const wire = new Wire(makeHome());
  await wire.initialize();
  return wire;
}

/** Alive, in order, and able to end as it should. */
async function expectUnharmed(wire: Wire): Promise<void> {
  await wire.ping('alive');
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
}

describe('lines that are no requests', () => {
  const lines: Record<string, string | Uint8Array> = {
    garbage: 'hello, are you an HTTP server?\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'truncated JSON': '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paper_se\n',
    'empty lines': '\n\n \n\r\n\t\n',
    scalars: 'null\ntrue\n"text"\n1e400\n-0\n',
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

/** Whether arguments in place of those of the example get beyond the look at them. */
function passes(row: Operation, some: Record<string, string>): boolean {
  try {
    row.check?.(parseInput(row, { ...row.example, ...some }));
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!existsSync(naughty))('naughty strings', () => {
  const strings = existsSync(naughty)
    ? z.array(z.string()).parse(JSON.parse(readFileSync(naughty, 'utf8')))
    : [];
  // Each that gets beyond the arguments; of those that are refused before it, which a unit test tries all, some.
  it.each(operations)('in every argument of $name', async (row) => {
    const wire = await start();
    const calls = Object.keys(row.input.shape).flatMap((field) =>
      strings
        .map((text, index) => ({ field, text, id: `${field} ${index}` }))
        .filter(({ text }, index) => index % 20 === 0 || passes(row, { [field]: text })),
    );
    for (const { field, text, id } of calls) {
      wire.sendCall(id, row.name, { ...row.example, [field]: text });
    }
    for (const { text, id } of calls) {
      const { structuredContent, content, isError } = resultOf(await wire.answer(id));
      expect(differences(JSON.parse(content[0].text), structuredContent)).toEqual([]);
      const answer = envelope.parse(structuredContent);
      expect(isError === true).toBe('error' in answer);
      if (!('error' in answer)) continue;
      expect(['invalid_request', 'not_found'], `${id}: ${text}`).toContain(answer.error.code);
      // An unknown section is quoted, cleaned and cut; whatever else the message says is ours.
      const ours = answer.error.message.replace(`"${printable(text)}"`, '""');
      expect(ours).not.toMatch(LEAK);
      expect(answer.error.message).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/u);
    }
    await expectUnharmed(wire);
  });
});
