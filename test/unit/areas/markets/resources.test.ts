import { beforeEach, describe, expect, it } from 'vitest';
import { predictionMarketEventRead } from '../../../../src/areas/markets/operations.ts';
import { marketPrompts } from '../../../../src/areas/markets/prompts.ts';
import { completeEvent, marketResources } from '../../../../src/areas/markets/resources.ts';
import type { HeldShelf } from '../../../../src/core/context.ts';
import { call, event, makeShelf, makeStarterShelf, NOW, put } from './shelf.ts';

/** Resources, prompts and completions of the prediction markets, beside the operations. */

let shelf: HeldShelf;
beforeEach(() => {
  shelf = { db: makeStarterShelf(), now: () => NOW, policy: 'personal' };
});

function read(uri: string, given: Record<string, string> = {}) {
  const resource = marketResources.find((each) => each.uri === uri);
  if (resource === undefined) throw new Error(`no ${uri}`);
  return JSON.parse(resource.read(given, shelf));
}

const EVENT = 'quantshelf://event/{id}';

describe('the resource of an event', () => {
  it("returns the tool's answer, without credits", async () => {
    const outcome = await call(shelf.db, predictionMarketEventRead, { event_card_id: 'pme_16085' });
    if (!outcome.ok) throw new Error(outcome.envelope.error.message);
    const { data, meta } = outcome.envelope;
    const { asOf, notice } = meta;
    expect(read(EVENT, { id: 'pme_16085' })).toEqual({ data, meta: { asOf, notice } });
    const { event_card_id } = predictionMarketEventRead.output.parse(data);
    expect(read(EVENT, { id: event_card_id.toUpperCase() })).toEqual(
      read(EVENT, { id: 'PME_16085' }),
    );
  });
});

it('the resource of tags counts the events of each', () => {
  const empty: HeldShelf = { ...shelf, db: makeShelf() };
  put(empty.db, [
    event({ id: '1', tags: ['crypto', 'bitcoin'] }),
    event({ id: '2', slug: 'b', tags: ['bitcoin'] }),
  ]);
  const tags = marketResources.find(({ name }) => name === 'event_tags');
  const { data } = JSON.parse(tags?.read({}, empty) ?? '');
  expect(data).toContainEqual({ tag: 'bitcoin', events: 2 });
  expect(data[0].events).toBe(2);
});

describe('completions', () => {
  it('of ids hold the typed part, or name events that hold the words, in browse order', () => {
    const all = completeEvent('', shelf, {});
    expect(all).toHaveLength(35);
    expect(completeEvent('pme_', shelf, {})).toEqual(all);
    expect(completeEvent('pme_1609', shelf, {}).every((id) => id.startsWith('pme_1609'))).toBe(
      true,
    );
    expect(completeEvent('16085', shelf, {})).toEqual(['pme_16085']);
    expect(completeEvent('fed cuts 2025', shelf, {})).toContain('pme_16085');
  });

  it('use only the first eight words', () => {
    expect(completeEvent('how many fed rate cuts in 2025 a zebra', shelf, {})).not.toEqual([]);
    expect(completeEvent('how many fed rate cuts in 2025 zebra', shelf, {})).toEqual([]);
  });

  it.each(['%%', "' OR 1=1 --", 'word '.repeat(40)])('of %j break nothing', (typed) => {
    expect(completeEvent(typed, shelf, {})).toEqual([]);
  });
});

it('the prompt quotes the question, which cannot end the quotation', () => {
  const said = marketPrompts[0]?.write({ question: 'Will the "Fed" cut?' }, shelf) ?? '';
  expect(said).toContain(String.raw`"Will the \"Fed\" cut?"`);
});
