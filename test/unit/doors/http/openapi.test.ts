import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Document, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ERROR_STATUS } from '../../../../src/core/errors.ts';
import { openApiDocument } from '../../../../src/doors/http/openapi.ts';
import { operations } from '../../../../src/operations.ts';
import { Description } from './description.ts';

const made = openApiDocument(operations, { version: '1.2.3' });
const description = new Description(JSON.stringify(made));

/** Findings of the recommended rules of Redocly and Spectral, including warnings. */
async function faultsOf(document: object): Promise<string[]> {
  const source = JSON.stringify(document);
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, config });
  const spectral = new Spectral();
  spectral.setRuleset({ ...oas, extends: [] });
  const others = await spectral.run(new Document(source, Json));
  return [
    ...problems.map(({ ruleId, message }) => `redocly ${ruleId}: ${message}`),
    ...others.map(({ code, message }) => `spectral ${code}: ${message}`),
  ];
}

it('the OpenAPI document passes two linters that find a planted fault', async () => {
  expect(await faultsOf(made)).toEqual([]);
  const { contact: _, ...anonymous } = made.info;
  const faults = await faultsOf({ ...made, info: anonymous, tags: [{ name: 'papers' }] });
  for (const linter of ['redocly', 'spectral'])
    expect(faults).toContainEqual(expect.stringMatching(`^${linter} `));
});

it('the OpenAPI document describes every field of every reply', () => {
  const { schemas } = description.components;
  const faults = Object.entries(schemas).flatMap(([name, each]) => undescribed(each, name));
  expect(faults).toEqual([]);
});

it('the OpenAPI document lists every error code with its status', () => {
  const text = description.components.responses.Error?.description;
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    expect(text).toContain(`${status} \`${code}\``);
  }
});

const node = z.looseObject({
  description: z.string().min(1).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});

/** Fields below a schema that have only a name; every reply has `data`, `meta` and `error`. */
function undescribed(schema: unknown, path: string): string[] {
  const { properties, items } = node.parse(schema);
  if (items !== undefined) return undescribed(items, path);
  return Object.entries(properties ?? {}).flatMap(([name, each]) => {
    const at = `${path}.${name}`;
    const isSaid = node.parse(each).description !== undefined || /^(data|meta|error)$/.test(name);
    return [...(isSaid ? [] : [at]), ...undescribed(each, at)];
  });
}

describe.each(operations)('the route of $name', (operation) => {
  const route = description.route(operation.path, operation.method);
  const media = route.requestBody?.content['application/json'];

  it("states its price, and no defaults in its body's schema", () => {
    expect(route['x-credits']).toBe(operation.price);
    const named = String(media?.schema.$ref).split('/').at(-1) ?? '';
    const schema = description.components.schemas[named];
    expect(JSON.stringify(schema ?? '')).not.toContain('"default":');
  });

  it("has the table's example, and a schema that accepts it and rejects wrong arguments", () => {
    if (media !== undefined) {
      expect(media.example).toEqual(operation.example);
      expect(description.faults(media.schema, media.example)).toEqual([]);
      const wrong = { ...operation.example, no_such: 1 };
      expect(description.faults(media.schema, wrong)).toHaveLength(1);
      expect(description.faults(media.schema, {})).not.toEqual([]);
      return;
    }
    const given = (route.parameters ?? []).filter(({ example }) => example !== undefined);
    const examples = given.map(({ name, example }) => [name, example]);
    expect(Object.fromEntries(examples)).toEqual(operation.example);
    for (const { schema, example } of given) {
      expect(description.faults(schema, example)).toEqual([]);
      expect(description.faults(schema, { not: 'a value' })).not.toEqual([]);
    }
  });
});
