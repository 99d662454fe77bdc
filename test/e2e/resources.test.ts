import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { VIEWS, viewUri } from '../../src/doors/published.ts';
import * as table from '../../src/operations.ts';
import { connect, connectTo, type Era, envelopeOf, eras, type Host, type Typed } from './hosts.ts';
import { makeShelf } from './in-process.ts';
import { makeKey, type Serving, startServing } from './serving.ts';
import { LEAK } from './support.ts';

/** Resources, prompts and completions, at both doors and in both eras. */

let home = '';
let shared: Serving;
beforeAll(async () => {
  home = await makeShelf();
  shared = await startServing(home);
});
afterAll(() => shared.stop());

/** A URI of each kind of resource on the starter shelf. */
const STORED = [
  'quantshelf://tags/papers',
  'quantshelf://paper/2510.23150',
  'quantshelf://paper/2510.23150/bibtex',
  'quantshelf://paper/2510.23150/abstract',
  'quantshelf://indicator/us.nonfarm_payrolls',
  'quantshelf://macro/us.gdp.nominal/as-of/2008-12-24',
  'quantshelf://macro/us.gdp.nominal/history/2008-01-01/2010-12-31',
  'quantshelf://macro/calendar',
  'quantshelf://tags/events',
  'quantshelf://pairs/events',
  'quantshelf://event/pme_16085',
  'quantshelf://new/90d',
];

const VIEW_URIS = Object.values(VIEWS).map(viewUri);

/** URIs of resources that do not exist, with the expected refusal. */
const UNKNOWN: readonly (readonly [uri: string, says: RegExp])[] = [
  ['quantshelf://paper/q-fin%2F0601001', /q-fin\/0601001 is not on this shelf.*paper_read/],
  [
    'quantshelf://macro/us.gdp.nominal/history/2008-02-30/2009-01-01',
    /"from" must be a real calendar day, YYYY-MM-DD/,
  ],
  ['quantshelf://macro/us.gdp.nominal/history/2009-01-01/2008-01-01', /must not be after/],
  ['quantshelf://event/pme_1', /prediction_market_event_search/],
  ['quantshelf://new/soon', /such as 7d/],
  // Ids that careless code would misread.
  ['quantshelf://paper/..%2F..%2Fetc%2Fpasswd', /paper_search/],
  ['quantshelf://paper/%E0%A4%A', /percent-encoding/],
  ['file:///etc/passwd', /templates\/list/],
  ['no uri', /No resource has this URI; resources\/list/],
];

const resource = (uri: string) => ({ type: 'ref/resource', uri }) as const;
const prompt = (name: string) => ({ type: 'ref/prompt', name }) as const;

const rpcError = z.looseObject({ code: z.number(), message: z.string() });

/** The error that an attempt ends with. */
const refusal = (attempt: Promise<unknown>) =>
  attempt
    .then(
      () => undefined,
      (reason: unknown) => reason,
    )
    .then((error) => rpcError.parse(error));

/** Connects over stdio, and over HTTP with a new key. */
async function connectBoth(era: Era, name: string): Promise<[stdio: Host, http: Host]> {
  const key = await makeKey(home, `${name}-${era}`);
  return [await connect(era, home), await connectTo(era, shared.url, key)];
}

describe.each(eras)('a client of the %s era', (era) => {
  it('lists the same resources, templates and prompts over stdio and HTTP', async () => {
    for (const host of await connectBoth(era, 'lists')) {
      const { resources } = await host.listResources();
      const uris = resources.map(({ uri }) => uri);
      const fixed = table.resources.filter(({ uri }) => !uri.includes('{'));
      expect(uris.slice(0, fixed.length)).toEqual(fixed.map(({ uri }) => uri));
      expect(uris).toHaveLength(fixed.length + VIEW_URIS.length + 56);
      expect(uris).toEqual(expect.arrayContaining(VIEW_URIS));
      expect(uris).toContain('quantshelf://indicator/us.cpi.core');
      const { resourceTemplates } = await host.listTemplates();
      expect(resourceTemplates).toMatchObject(
        table.resources
          .filter(({ uri }) => uri.includes('{'))
          .map(({ uri: uriTemplate, name, title, description, mimeType }) => {
            return { uriTemplate, name, title, description, mimeType };
          }),
      );
      const { prompts } = await host.listPrompts();
      expect(prompts).toMatchObject(
        table.prompts.map(({ name, title, description }) => ({ name, title, description })),
      );
    }
  });

  it('reads the same content from every kind of resource over stdio and HTTP, free of charge', async () => {
    const [stdio, http] = await connectBoth(era, 'reads');
    const balance = async (host: Host) =>
      envelopeOf(await host.call('macro_indicator_search', { limit: 1 })).meta?.remainingCredits;
    const before = [await balance(stdio), await balance(http)];
    expect(STORED).toHaveLength(table.resources.length);
    for (const uri of STORED) {
      const { contents } = await stdio.read(uri);
      expect(contents[0].uri).toBe(uri);
      // No two venues share a question on the starter shelf.
      const least = uri === 'quantshelf://pairs/events' ? 40 : 100;
      expect(contents[0].text.length, uri).toBeGreaterThan(least);
      const [same] = (await http.read(uri)).contents;
      // The text of news has the time of the call.
      const isNow = uri.includes('/new/');
      if (isNow) expect(JSON.parse(same.text).data).toEqual(JSON.parse(contents[0].text).data);
      else expect([same], uri).toEqual(contents);
    }
    expect([await balance(stdio), await balance(http)]).toEqual(before);
    const hosts = [stdio, http];
    for (const { host, uri } of VIEW_URIS.flatMap((uri) => hosts.map((host) => ({ host, uri })))) {
      const [view] = (await host.read(uri)).contents;
      expect(view).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
      // The view names no domains, so the host's policy lets it load nothing.
      expect(view._meta).toEqual({ ui: { prefersBorder: expect.any(Boolean) } });
      expect(view.text).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/);
    }
  });
});

describe('a client of the current era', () => {
  const era = 'current';

  it("gets the protocol's error for a missing resource, with a remedy, over stdio and HTTP", async () => {
    const [stdio, http] = await connectBoth(era, 'unknown');
    for (const [uri, says] of UNKNOWN) {
      const error = await refusal(stdio.read(uri));
      expect(error.code, uri).toBe(-32602);
      expect(error.message, uri).toMatch(says);
      expect(error.message, uri).not.toMatch(LEAK);
      expect(error.message.length, uri).toBeLessThan(600);
      const same = await refusal(http.read(uri));
      expect([same.code, same.message], uri).toEqual([error.code, error.message]);
    }
  });

  it('gets the same completions over stdio and HTTP', async () => {
    const [stdio, http] = await connectBoth(era, 'completes');
    const paper = resource('quantshelf://paper/{id}');
    const section = resource('quantshelf://paper/{id}/{section}');
    const completions: [Parameters<Host['complete']>[0], Typed, string[]][] = [
      [section, ['section', 's0', { id: '2510.23150' }], ['s01-question', 's02-method']],
      [prompt('check_claim'), ['paper', '2510.2315'], ['2510.23150']],
    ];
    for (const [ref, typed, values] of completions) {
      const completion = await stdio.complete(ref, ...typed);
      expect(completion.values, typed.join()).toEqual(expect.arrayContaining(values));
      expect(completion).toMatchObject({ hasMore: false, total: completion.values.length });
      expect(await http.complete(ref, ...typed)).toEqual(completion);
    }
    const all = await stdio.complete(paper, 'id', '');
    expect(all.values).toHaveLength(100);
    expect(all.hasMore).toBe(true);
    for (const unknown of [resource('quantshelf://nothing/{id}'), prompt('no_such_prompt')]) {
      expect((await refusal(stdio.complete(unknown, 'id', ''))).code).toBe(-32602);
    }
  });

  it('gets the same prompts over stdio and HTTP, and errors that explain wrong arguments', async () => {
    const [stdio, http] = await connectBoth(era, 'prompts');
    const prompts: [name: string, args: Record<string, string>, says: RegExp][] = [
      ['literature_review', { topic: 'rough volatility' }, /paper_search/],
      ['compare_with_my_papers', { topic: 'rough volatility' }, /source:own/],
      ['macro_briefing', { topic: '' }, /the U\.S\. economy/],
      ['macro_then_and_now', { indicator: 'UNRATE', date: '2026-04-10' }, /as-of\/2026-04-10/],
      ['market_expectations', { question: 'Will the Fed cut?' }, /prediction_market_event_search/],
      ['weekly_brief', { since: '2026-01-01' }, /series with new figures: \d/],
      [
        'check_claim',
        { claim: 'a barbell of short and long trends' },
        /word for word in the stored sections:\n/,
      ],
    ];
    expect(new Set(prompts.map(([name]) => name)).size).toBe(table.prompts.length);
    for (const [name, args, says] of prompts) {
      const { messages } = await stdio.prompt(name, args);
      expect(messages[0].content.text, name).toMatch(says);
      expect((await http.prompt(name, args)).messages, name).toEqual(messages);
    }
    for (const [name, args, says] of [
      ['literature_review', {}, /needs "topic"/],
      ['literature_review', { topic: 'x'.repeat(501) }, /at most 500 characters/],
      ['check_claim', { claim: 'one two three', paper: '2510.99999' }, /paper_read/],
      ['macro_then_and_now', { indicator: 'UNRATE', date: 'Sept 15 2008' }, /YYYY-MM-DD/],
    ] as const) {
      for (const host of [stdio, http]) {
        const error = await refusal(host.prompt(name, { ...args }));
        expect(error.code, name).toBe(-32602);
        expect(error.message, name).toMatch(says);
      }
    }
  });
});

it('for clients of the current era only, results state how long they may be cached, and by whom', async () => {
  const host = await connect('current', home);
  const everyone = { ttlMs: 300_000, cacheScope: 'public' };
  expect(await host.listTemplates()).toMatchObject(everyone);
  expect(await host.listPrompts()).toMatchObject(everyone);
  expect(await host.listResources()).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
  for (const uri of STORED) {
    const { ttlMs, cacheScope } = await host.read(uri);
    expect(cacheScope, uri).toBe('private');
    expect(ttlMs, uri).toBeGreaterThanOrEqual(60_000);
  }
  const older = await connect('legacy', home);
  expect(await older.read(STORED[0] ?? '')).not.toHaveProperty('ttlMs');
});

it.each(['papers', 'macro', 'markets'] as const)(
  'over HTTP, a key with the scope "%s" gives access to that area alone',
  async (scope) => {
    const key = await makeKey(home, scope, '--scopes', scope);
    const host = await connectTo('current', shared.url, key);
    const expectOpen = async (area: string | null, attempt: Promise<unknown>) => {
      if (area === scope || area === null) await attempt;
      else {
        const message = expect.stringContaining(`scope "${area}"`);
        expect(await refusal(attempt)).toMatchObject({ code: -32602, message });
      }
    };
    for (const [index, uri] of STORED.entries()) {
      await expectOpen(table.resources[index]?.area ?? null, host.read(uri));
    }
    const { resources } = await host.listResources();
    expect(resources.some(({ uri }) => uri.includes('/indicator/'))).toBe(scope === 'macro');
    await expectOpen('macro', host.prompt('macro_briefing', {}));
    await expectOpen('papers', host.complete(resource('quantshelf://paper/{id}'), 'id', ''));
  },
);

it('a read of a resource fails with an error that names no file if the shelf cannot be opened', async () => {
  const host = await connect('current', '/dev/null/nowhere');
  const { code, message } = await refusal(host.read(STORED[1] ?? ''));
  expect(code).toBe(-32603);
  expect(message).toMatch(/data directory is a file/);
  expect(message).not.toMatch(LEAK);
  // Everything that needs no shelf is still available.
  expect((await host.listPrompts()).prompts).toHaveLength(table.prompts.length);
});
