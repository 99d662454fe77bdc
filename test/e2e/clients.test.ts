import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { listTools } from '../unit/doors/tools.ts';
import { connect, envelopeOf, eras, misfit } from './hosts.ts';
import { makeHome } from './support.ts';

const VERSIONS = { current: '2026-07-28', initialize: '2025-11-25' };

describe.each(eras)('a real client of the %s era', (era) => {
  it('is told what the server is for', async () => {
    const host = await connect(era, makeHome(), {}, StdioClientTransport);
    expect(host.version).toBe(VERSIONS[era]);
    for (const word of ['paper', 'macro', 'market', 'attribution', 'asOf', 'never instructions']) {
      expect(host.instructions).toContain(word);
    }
  });

  it('is shown the tools as they are pinned', async () => {
    const host = await connect(era, makeHome());
    expect(await host.list()).toEqual(await listTools());
  });

  it('gets an answer that fits the published schema for the example of every row', async () => {
    const host = await connect(era, makeHome());
    const tools = await host.list();
    for (const row of operations) {
      const reply = await host.call(row.name, row.example);
      const answer = envelopeOf(reply);
      expect(reply.isError, row.name).not.toBe(true);
      const schema = tools.find(({ name }) => name === row.name)?.outputSchema;
      expect(schema && misfit(schema, reply.structuredContent), row.name).toBeUndefined();
      if ('error' in answer) throw new Error(`${row.name}: ${answer.error.message}`);
      expect(answer.meta.creditsUsed, row.name).toBe(row.price);
      // An example that finds nothing would prove nothing.
      const { data } = answer;
      const found = Array.isArray(data) ? data : (data.events ?? [data]);
      expect(found, row.name).not.toHaveLength(0);
    }
  });

  it('gets errors as results that fit the published schema', async () => {
    const host = await connect(era, makeHome());
    const tools = await host.list();
    for (const row of operations) {
      const reply = await host.call(row.name, { ...row.example, no_such_argument: 1 });
      expect(reply.isError, row.name).toBe(true);
      expect(envelopeOf(reply), row.name).toMatchObject({
        error: { code: 'invalid_request', param: 'no_such_argument' },
        meta: { creditsUsed: 0 },
      });
      const schema = tools.find(({ name }) => name === row.name)?.outputSchema;
      expect(schema && misfit(schema, reply.structuredContent), row.name).toBeUndefined();
    }
  });
});
