import { expect, it } from 'vitest';
import { makeHome } from './support.ts';
import { startWire } from './wire.ts';

it('the server survives invalid UTF-8 and a line of 40 million characters', async () => {
  const wire = await startWire(makeHome());
  wire.write(Uint8Array.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 10]));
  await wire.ping('after the bytes');
  wire.write(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"q":"',
  );
  for (let million = 0; million < 40; million += 1) wire.write('x'.repeat(1_000_000));
  wire.write('"}}}\n');
  await wire.ping('alive');
  expect(await wire.finish()).toEqual({ code: 0, signal: null });
});

it('names with a meaning in JavaScript, such as "constructor", are not tools', async () => {
  const wire = await startWire(makeHome());
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'prototype', '__proto__', '']) {
    const reply = await wire.call(`call ${name}`, name, {});
    expect(reply, name).toMatchObject({ error: { code: -32602 } });
  }
});
