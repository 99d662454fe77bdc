import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { urlText } from '../../../arbitrary.ts';
import { describeShared, NAUGHTY_STRINGS, readNaughtyStrings } from '../../../shared.ts';
import { openDoor, read, refusal } from './door.ts';

/** What of a text can go over the wire: half a character becomes the mark for none. */
const wellFormed = (text: string) => Buffer.from(text).toString();

const open = () => openDoor({ credits: 1_000_000, rate: 1_000_000 });

describeShared('JSONTestSuite', 'data/robustness/JSONTestSuite/test_parsing', (directory) => {
  it('every file is answered or refused as a body', async () => {
    const { ask, lines } = open();
    for (const file of readdirSync(directory)) {
      const bytes = readFileSync(join(directory, file));
      const said = await refusal(
        await ask('/api/probe/items/post', { body: new Uint8Array(bytes) }),
      );
      // None of them is a query; a few are longer than a body may be.
      expect(['invalid_request', 'payload_too_large'], file).toContain(said.code);
      const mcp = await ask('/mcp', {
        body: new Uint8Array(bytes),
        headers: { Accept: 'application/json, text/event-stream' },
      });
      expect([200, 202, 400, 413], file).toContain(mcp.status);
    }
    expect(lines.filter((line) => / 5\d\d /.test(line))).toEqual([]);
    // Some six hundred requests.
  }, 120_000);
});

describeShared('naughty strings', NAUGHTY_STRINGS, (path) => {
  const strings = readNaughtyStrings(path);

  it('come through the address as they were', async () => {
    const { ask } = open();
    for (const text of strings.filter((each) => each !== '')) {
      const { data, error } = await read(
        await ask(`/api/probe/get?${new URLSearchParams({ q: text })}`),
      );
      expect(error, text).toBeUndefined();
      expect(data, text).toMatchObject({ q: wellFormed(text) });
    }
  });

  it('come through the path as they were, where a path can hold them', async () => {
    const { ask } = open();
    for (const text of strings.filter((each) => each !== '' && !/^\.{1,2}$/.test(each))) {
      const response = await ask(`/api/probe/items/${encodeURIComponent(wellFormed(text))}`);
      const { data } = await read(response);
      expect(data, text).toEqual({ item_id: wellFormed(text) });
    }
  });
});

it('any address at all gets an answer of the house', async () => {
  const { ask, lines } = open();
  await fc.assert(
    fc.asyncProperty(urlText, urlText, async (path, query) => {
      const response = await ask(`/${path}?${query}`);
      expect(response.status).toBeLessThan(500);
      expect(response.headers.get('x-api-version')).toBe('1');
      expect(lines.at(-1)).not.toMatch(/[^\x20-\x7e]/);
    }),
  );
});
