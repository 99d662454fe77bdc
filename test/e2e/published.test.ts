import { expect, it } from 'vitest';
import { deriveSchemas } from '../../src/doors/schemas.ts';
import { operations } from '../../src/operations.ts';
import { connect } from './hosts.ts';
import { makeHome } from './support.ts';

it('the schemas that the build derived are those of the source', async () => {
  const tools = await (await connect('current', makeHome())).list();
  expect(tools.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  for (const operation of operations) {
    const tool = tools.find(({ name }) => name === operation.name);
    const { input, output } = deriveSchemas(operation);
    expect({ input: tool?.inputSchema, output: tool?.outputSchema }).toEqual({ input, output });
  }
});
