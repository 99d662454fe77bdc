import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Completer, Prompt, Resource } from '../../../src/core/resource.ts';
import { type ReadShelf, readShelf } from '../../../src/core/run.ts';
import { context, purse } from '../core/probe.ts';
import { connectHere } from './tools.ts';

const resourceUri = 'quantshelf://probe/{id}/{part}';

/** A client of a server whose only completer, for `part` and `topic`, is `complete`. */
async function connect(complete: Completer) {
  const common = { name: 'probe', title: 'Probe', description: 'Probes.', area: 'papers' } as const;
  const resource: Resource = {
    ...common,
    uri: resourceUri,
    mimeType: 'text/plain',
    ttlMs: 1_000,
    complete: { part: complete },
    read: () => 'read',
  };
  const prompt: Prompt = {
    ...common,
    arguments: { topic: { description: 'A topic.', isRequired: true, max: 20, complete } },
    write: () => 'written',
  };
  const areas: unknown[] = [];
  const open = async () => ({ context, account: purse(0).account });
  const readStored: ReadShelf = (subject, read) => {
    areas.push(subject.area);
    return readShelf(subject, read, { open, log: () => {} });
  };
  const rows = { operations: [], resources: [resource], prompts: [prompt] };
  const client = await connectHere(undefined, rows, readStored);
  onTestFinished(() => client.close());
  return Object.assign(client, { areas });
}

const ofResource = { type: 'ref/resource', uri: resourceUri } as const;
const ofPrompt = { type: 'ref/prompt', name: 'probe' } as const;

it('a text longer than any value gets no completions', async () => {
  const client = await connect((typed) => [typed]);
  const complete = (value: string) =>
    client.complete({ ref: ofResource, argument: { name: 'part', value } });
  expect((await complete('x'.repeat(200))).completion.values).toHaveLength(1);
  expect((await complete('x'.repeat(60_000))).completion.values).toEqual([]);
});

it.each(['constructor', '__proto__', 'valueOf', 'toString', 'hasOwnProperty', 'nothing', ''])(
  'an argument called %j, which has no completer, is not completed',
  async (name) => {
    const client = await connect(() => ['completed']);
    for (const ref of [ofResource, ofPrompt]) {
      const { completion } = await client.complete({ ref, argument: { name, value: '' } });
      expect(completion).toEqual({ values: [], total: 0, hasMore: false });
    }
    const known = { name: 'topic', value: '' };
    const { completion } = await client.complete({ ref: ofPrompt, argument: known });
    expect(completion.values).toEqual(['completed']);
    // Only the completer opened the shelf, within its area's scope.
    expect(client.areas).toEqual(['papers']);
  },
);

it('a blank prompt argument counts as missing', async () => {
  const client = await connect(() => []);
  const ask = (topic: string) => client.getPrompt({ name: 'probe', arguments: { topic } });
  await expect(ask(' ')).rejects.toThrow('probe needs "topic"');
  await expect(ask('rates')).resolves.toHaveProperty('messages');
  expect(client.areas).toEqual(['papers', 'papers']);
});

const WRONG = { name: 'topic', value: {} };
const ONE_PAGE = 'cursor: must be omitted (every list has one page)';

it.each<[method: string, params: Record<string, unknown>, message: string]>([
  ['prompts/get', { name: 'probe', arguments: { topic: 7 } }, 'arguments.topic: must be a string'],
  ['prompts/get', { name: 'none' }, 'prompts/list shows all prompts'],
  ['tools/list', { cursor: 'no-such-page' }, ONE_PAGE],
  ['prompts/list', { cursor: 5 }, ONE_PAGE],
  ['resources/list', { cursor: 'no-such-page' }, ONE_PAGE],
  ['resources/templates/list', { cursor: 5 }, ONE_PAGE],
  ['tools/call', { name: 'none' }, 'tools/list shows all tools'],
  ['resources/read', { uri: 7 }, 'uri: must be a string: a URI from resources/list'],
  ['completion/complete', { ref: ofPrompt, argument: WRONG }, 'argument.value: must be a string'],
  ['completion/complete', { ref: ofPrompt }, 'argument: must have a name and a value'],
])('%s rejects the parameters %j, saying "%s"', async (method, params, message) => {
  const client = await connect(() => []);
  const request = client.request({ method, params }, z.unknown());
  const error = { code: -32_602, message: expect.stringContaining(message) };
  await expect(request).rejects.toMatchObject(error);
});

it.each([
  ['inflation', 'warns', true],
  ['inflation hedges', 'does not warn', false],
])(
  'a prompt on %j %s that the host may have passed on only the first words',
  async (topic, _, isSaid) => {
    const client = await connect(() => []);
    const { messages } = await client.getPrompt({ name: 'probe', arguments: { topic } });
    const { content } = messages[0] ?? {};
    const { text } = content?.type === 'text' ? content : { text: '' };
    expect(text.startsWith('If the command that I typed says more')).toBe(isSaid);
    expect(text.endsWith('written')).toBe(true);
  },
);
