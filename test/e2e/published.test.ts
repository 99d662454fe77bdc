import { expect, it } from 'vitest';
import { publish } from '../../src/doors/published.ts';
import * as table from '../../src/operations.ts';
import { connect } from './hosts.ts';
import { makeHome } from './support.ts';

it('what the build derived from the table is what the source says', async () => {
  const source = publish(table);
  const host = await connect('current', makeHome());
  const listed = {
    tools: await host.list(),
    prompts: (await host.listPrompts()).prompts,
    templates: (await host.listTemplates()).resourceTemplates,
  };
  expect(
    listed.tools.map((tool) => ({
      ...{ name: tool.name, title: tool.title, description: tool.description },
      ...{ input: tool.inputSchema, output: tool.outputSchema, meta: tool._meta },
      fetches: tool.annotations.openWorldHint,
    })),
  ).toEqual(source.tools);
  expect(listed.prompts).toMatchObject(
    source.prompts.map(({ name, title, description, arguments: all }) => ({
      ...{ name, title, description },
      arguments: Object.entries(all).map(([each, { description: said, isRequired }]) => ({
        ...{ name: each, description: said, required: isRequired },
      })),
    })),
  );
  expect(listed.templates).toMatchObject(
    source.resources
      .filter(({ uri }) => uri.includes('{'))
      .map(({ name, title, uri, mimeType }) => ({ name, title, uriTemplate: uri, mimeType })),
  );
});
