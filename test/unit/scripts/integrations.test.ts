import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { readPackage } from '../../../scripts/package.ts';
import { entryOf, HOSTS, SERVER_NAME } from '../../../src/cli/hosts.ts';
import { success } from '../../../src/core/envelope.ts';
import { operations } from '../../../src/operations.ts';

const PLUGIN = 'integrations/claude-code';
const manifest = readPackage();
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
/** The format that Claude Code requires for names. */
const kebab = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const author = z.strictObject({ name: z.literal(manifest.author) });

describe('the plugin for Claude Code', () => {
  it("is in the repository's marketplace list", () => {
    const list = z
      .strictObject({
        name: kebab,
        description: z.string(),
        owner: author,
        plugins: z.tuple([z.strictObject({ name: kebab, source: z.string().startsWith('./') })]),
      })
      .parse(readJson('.claude-plugin/marketplace.json'));
    const [{ name, source }] = list.plugins;
    expect({ name, source }).toEqual({ name: manifest.name, source: `./${PLUGIN}` });
  });

  it('has the same metadata as package.json', () => {
    const plugin = z
      .strictObject({
        name: kebab,
        description: z.string(),
        version: z.string(),
        author,
        license: z.string(),
        keywords: z.array(z.string()),
      })
      .parse(readJson(`${PLUGIN}/.claude-plugin/plugin.json`));
    const { name, description, version, license } = manifest;
    expect(plugin).toMatchObject({ name, description, version, license });
  });

  it('starts the server as `init` would, under a name that keeps tool names within 64 characters', () => {
    const { mcpServers } = z
      .object({ mcpServers: z.record(z.string(), z.unknown()) })
      .parse(readJson(`${PLUGIN}/.mcp.json`));
    const [[server = '', entry] = [], ...others] = Object.entries(mcpServers);
    expect(entry).toEqual(entryOf(HOSTS['claude-code'], 'linux'));
    expect(others).toEqual([]);
    // Tool names as Claude Code sends them to the model: from a plugin, and from a server in its settings.
    const sent = operations.flatMap(({ name }) => [
      `mcp__plugin_${manifest.name}_${server}__${name}`,
      `mcp__${SERVER_NAME}__${name}`,
    ]);
    for (const name of sent) expect(name).toMatch(/^[\w-]{1,64}$/);
  });
});

describe('the skill', () => {
  const text = readFileSync(`${PLUGIN}/skills/quantshelf/SKILL.md`, 'utf8');
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const words = [...body.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);

  it('has the front matter that Claude Code and the skill format require', () => {
    const head = z
      .strictObject({ name: kebab.max(64), description: z.string().min(1).max(1024) })
      .parse(parse(front));
    expect(head.name).toBe('quantshelf');
  });

  it('names every tool, and no unknown one', () => {
    const names = operations.map(({ name }) => name);
    const tool = /^(paper|macro_indicator|prediction_market)_\w+$/;
    const named = words.filter((word) => tool.test(word));
    expect([...new Set(named)].sort()).toEqual([...names].sort());
  });

  it('names only arguments and fields that the tools have', () => {
    const schemas = operations.flatMap((op) => [op.input, op.output, op.meta ?? op.output]);
    const published = [success, ...schemas]
      .map((schema) => JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })))
      .join();
    const names = [...operations.map(({ name }) => name), 'strong', 'weak', 'none'];
    const fields = words.filter((word) => /^(meta\.)?[a-z]+(?:[A-Z_][a-zA-Z_]*)?$/.test(word));
    const unknown = fields.filter(
      (field) => !names.includes(field) && !published.includes(`"${field.replace('meta.', '')}"`),
    );
    expect(fields.length).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  });

  it('lists the same query filters as `paper_search`', () => {
    const { description = '' } = operations.find(({ name }) => name === 'paper_search') ?? {};
    const filter = /\b(?:author|since|until|year|cat):[\w.-]+|-word|-"two words"/g;
    const filters = description.match(filter);
    expect(filters).toHaveLength(7);
    for (const field of filters ?? []) expect(body).toContain(`\`${field}\``);
  });

  it('states the same prices as the operations table', () => {
    const costs = /Credits are[\s\S]*?the others nothing/.exec(body)?.[0] ?? '';
    const [ones = '', twos = ''] = costs.split(/(?<=\s1),/);
    for (const { name, price } of operations) {
      const told = [ones.includes(`\`${name}\``), twos.includes(`\`${name}\``)];
      expect(told, name).toEqual([price === 1, price === 2]);
    }
    expect([ones, twos].map((part) => /\d/.exec(part)?.[0])).toEqual(['1', '2']);
  });
});
