import { expect, it } from 'vitest';
import { operations } from '../../../src/operations.ts';
import { connectHere, listTools } from './tools.ts';

const tools = await listTools();

const WORDS = {
  papers: ['arxiv', 'research', 'literature', 'papers', 'trading strategies'],
  macro: ['fred', 'inflation', 'cpi', 'gdp', 'jobs', 'unemployment', 'yields', 'rates'],
  events: ['polymarket', 'odds', 'probability', 'prediction market'],
};

it('the beginning of each description holds the words that people ask with', () => {
  const beginnings = tools.map(({ description }) => description.slice(0, 155).toLowerCase());
  for (const word of WORDS.papers) expect(beginnings.slice(0, 2).join(' ')).toContain(word);
  for (const word of WORDS.macro) expect(beginnings.slice(2, 4).join(' ')).toContain(word);
  for (const word of WORDS.events) expect(beginnings.slice(4).join(' ')).toContain(word);
});

it('so does that of the instructions, and the server says who it is', async () => {
  const client = await connectHere();
  const beginning = client.getInstructions()?.slice(0, 250).toLowerCase();
  for (const word of Object.values(WORDS).flat()) expect(beginning).toContain(word);
  expect(client.getServerVersion()).toMatchObject({
    ...{ name: 'quantshelf', description: expect.stringMatching(/\w/) },
    websiteUrl: expect.stringMatching(/^https:/),
    icons: [{ src: expect.stringMatching(/^data:image\/svg\+xml;base64,/) }],
  });
  await client.close();
});

it('every tool has a hint for hosts that search by it', () => {
  expect(operations.map(({ searchHint = '' }) => searchHint.length > 20)).not.toContain(false);
  for (const { name, _meta = {} } of tools) {
    const row = operations.find((each) => each.name === name);
    expect(_meta['anthropic/searchHint']).toBe(row?.searchHint);
  }
});
