import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { tool } from './hosts.ts';
import { makeHome, root } from './support.ts';
import { Wire } from './wire.ts';

/** Bytes of context that a host spends on us. */
const LIMIT_TO_CALL = 8_000;
const LIMIT_WHOLE_LIST = 20_000;
const SNAPSHOTS = join(root, 'test', 'e2e', '__snapshots__');

async function publish() {
  const wire = new Wire(makeHome());
  await wire.initialize();
  wire.send({ id: 1, method: 'tools/list' });
  const answer = await wire.answer(1);
  await wire.finish();
  if (!('result' in answer)) throw new Error('tools/list failed');
  const { tools } = z.strictObject({ tools: z.array(tool) }).parse(answer.result);
  return { tools, bytes: Buffer.byteLength(JSON.stringify(answer)) };
}

const published = await publish();

describe.each(published.tools)('$name', (each) => {
  it('is published as reviewed', async () => {
    await expect(`${JSON.stringify(each, null, 2)}\n`).toMatchFileSnapshot(
      join(SNAPSHOTS, `${each.name}.json`),
    );
  });

  it('says that calling it is safe', () => {
    expect(each.annotations).toEqual({
      title: each.title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  it('takes a closed object whose every field is described', () => {
    const { inputSchema } = each;
    expect(inputSchema.additionalProperties).toBe(false);
    for (const word of ['anyOf', 'oneOf', 'allOf', '$ref']) {
      expect(inputSchema).not.toHaveProperty(word);
    }
    const fields = z
      .record(z.string(), z.looseObject({ description: z.string().min(1) }))
      .parse(inputSchema.properties);
    const row = operations.find(({ name }) => name === each.name);
    expect(Object.keys(fields)).toEqual(Object.keys(row?.input.shape ?? {}));
  });

  it('admits an error: requires neither data nor meta', () => {
    expect(each.outputSchema).not.toHaveProperty('required');
  });
});

it('every snapshot belongs to a published tool', () => {
  expect(readdirSync(SNAPSHOTS).sort()).toEqual(
    operations.map(({ name }) => `${name}.json`).sort(),
  );
});

it('a long reply is announced where one may come', () => {
  const announced = published.tools.filter(({ _meta }) => _meta !== undefined);
  expect(announced.map(({ name }) => name)).toEqual(
    operations.filter(({ longReplies }) => longReplies === true).map(({ name }) => name),
  );
});

it('costs little of the context', () => {
  const toCall = published.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  expect(Buffer.byteLength(JSON.stringify(toCall))).toBeLessThanOrEqual(LIMIT_TO_CALL);
  expect(published.bytes).toBeLessThanOrEqual(LIMIT_WHOLE_LIST);
});
