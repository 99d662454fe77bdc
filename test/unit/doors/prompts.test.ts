import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Prompt } from '../../../src/core/prompt.ts';
import { readShelf } from '../../../src/core/read.ts';
import { runInSlices } from '../../../src/core/time.ts';
import { mcpServerFactory } from '../../../src/doors/mcp.ts';
import { asLoaded } from '../../../src/doors/published.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { offline } from '../../context.ts';
import { openDoor } from './http/door.ts';

/** A prompt that is written when the test says so, and one that is written at once. */
function probePrompts() {
  const steps: string[] = [];
  const releases = new Map<string, () => void>();
  const common = { title: 'Probe', description: 'Probes.', area: 'papers' } as const;
  const argument = { description: 'What.', isRequired: true, max: 100 };
  function* work(which: string) {
    let isReleased = false;
    releases.set(which, () => {
      isReleased = true;
    });
    steps.push(`${which} begins`);
    try {
      while (!isReleased) yield;
      return `text of ${which}`;
    } finally {
      steps.push(`${which} ends`);
    }
  }
  const prompts: Prompt[] = [
    {
      ...{ ...common, name: 'heavy', isHeavy: true, arguments: { which: argument } },
      write: ({ which = '' }, _, signal) => runInSlices(work(which), signal),
    },
    { ...common, name: 'light', arguments: {}, write: () => 'light' },
  ];
  const release = async (which: string) => {
    await vi.waitFor(() => expect(steps).toContain(`${which} begins`));
    releases.get(which)?.();
  };
  return { prompts, steps, release };
}

/** Clients of one process, each with a server of its own, as over HTTP. */
function openClients() {
  const { prompts, ...probe } = probePrompts();
  const lines: string[] = [];
  const account = { name: 'ada', balance: () => 0, charge: () => 0 };
  const db = new Database(':memory:');
  const context = {
    ...{ ...offline, db, now: () => new Date('2026-11-21T12:00:00Z') },
    embedQuery: async () => ({ unavailable: 'no model in this test' }),
  };
  const createServer = mcpServerFactory(
    asLoaded({ operations: [], resources: [], prompts }),
    '0.0.0-test',
    () => {},
  );
  const connect = async () => {
    const server = createServer(
      () => Promise.reject(new Error('nothing is called')),
      (asked, read) =>
        readShelf(asked, read, {
          open: async () => ({ context, account }),
          log: (line) => lines.push(line),
        }),
    );
    const client = new Client({ name: 'quantshelf-tests', version: '1' });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    onTestFinished(() => client.close());
    return {
      heavy: async (which: string, signal?: AbortSignal) => {
        const asked = { name: 'heavy', arguments: { which } };
        const { messages } = await client.getPrompt(asked, signal && { signal });
        return messages.map(({ content }) => content);
      },
      light: () => client.getPrompt({ name: 'light' }),
      ping: () => client.ping(),
    };
  };
  onTestFinished(() => {
    db.close();
  });
  return { ...probe, connect, lines };
}

it('heavy prompts of all clients are written one after the other, in their order', async () => {
  const { connect, steps, release } = openClients();
  const [one, other] = [await connect(), await connect()];
  const first = one.heavy('a');
  await vi.waitFor(() => expect(steps).toEqual(['a begins']));
  const second = other.heavy('b');
  await other.ping();
  const third = one.heavy('c');
  await one.ping();
  expect(steps).toEqual(['a begins']);
  for (const which of ['a', 'b', 'c']) await release(which);
  expect(await Promise.all([first, second, third])).toEqual(
    ['a', 'b', 'c'].map((which) => [{ type: 'text', text: `text of ${which}` }]),
  );
  expect(steps).toEqual(['a', 'b', 'c'].flatMap((which) => [`${which} begins`, `${which} ends`]));
});

it('other prompts do not wait for them', async () => {
  const { connect, steps, release } = openClients();
  const client = await connect();
  const heavy = client.heavy('a');
  await vi.waitFor(() => expect(steps).toEqual(['a begins']));
  expect(await client.light()).toMatchObject({ messages: [{ content: { text: 'light' } }] });
  expect(steps).toEqual(['a begins']);
  await release('a');
  await heavy;
});

it('cancelled prompts stop where they are, leave the queue, and are nothing for the log', async () => {
  const { connect, steps, release, lines } = openClients();
  const client = await connect();
  const names = ['a', ...Array.from({ length: 16 }, (_, at) => `waits ${at}`)];
  const cancellings = names.map(() => new AbortController());
  const cancelled = names.map((which, at) => client.heavy(which, cancellings[at]?.signal));
  const ended = Promise.allSettled(cancelled);
  await vi.waitFor(() => expect(steps).toEqual(['a begins']));
  for (const cancelling of cancellings) cancelling.abort();
  expect((await ended).map(({ status }) => status)).toEqual(cancelled.map(() => 'rejected'));
  const next = client.heavy('next');
  await release('next');
  await next;
  expect(steps).toEqual(['a begins', 'a ends', 'next begins', 'next ends']);
  expect(lines).toEqual([]);
});

it('more than sixteen do not wait: the answer says to try again', async () => {
  const { connect, steps, release } = openClients();
  const client = await connect();
  const names = Array.from({ length: 17 }, (_, at) => `number ${at}`);
  const taken = names.map((which) => client.heavy(which));
  await vi.waitFor(() => expect(steps).toEqual(['number 0 begins']));
  await expect(client.heavy('one more')).rejects.toMatchObject({
    message: expect.stringContaining('Try again in a moment.'),
    data: { code: 'service_unavailable' },
  });
  for (const which of names) await release(which);
  expect(await Promise.all(taken)).toHaveLength(17);
  const later = client.heavy('later');
  await release('later');
  await later;
});

it('over HTTP a client that leaves ends its prompt, and the next one follows', async () => {
  const { prompts, steps, release } = probePrompts();
  const { ask } = openDoor({ beside: { resources: [], prompts } });
  const heavy = (which: string, signal: AbortSignal | null) =>
    ask('/mcp', {
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'prompts/get' },
        params: { name: 'heavy', arguments: { which } },
      }),
      ...{ headers: { Accept: '*/*' }, signal },
    }).then((response) => response.text());
  const leaving = new AbortController();
  const left = heavy('a', leaving.signal).catch(() => 'left');
  await vi.waitFor(() => expect(steps).toEqual(['a begins']));
  const next = heavy('b', null);
  leaving.abort();
  await release('b');
  expect(await next).toContain('text of b');
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  await left;
});
