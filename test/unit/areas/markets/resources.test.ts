import { beforeEach, describe, expect, it } from 'vitest';
import { marketPrompts } from '../../../../src/areas/markets/prompts.ts';
import { completeEvent, marketResources } from '../../../../src/areas/markets/resources.ts';
import type { StoredShelf } from '../../../../src/core/context.ts';
import { db, read as readByTool, useFreshShelves } from './fresh-shelf.ts';
import { event, makeStarterShelf, NOW, put } from './shelf.ts';

useFreshShelves(makeStarterShelf);
let shelf: StoredShelf;
beforeEach(() => {
  shelf = { db, now: () => NOW, policy: 'personal' };
});

function read(name: string, values: Record<string, string> = {}) {
  const resource = marketResources.find((each) => each.name === name);
  return JSON.parse(resource?.read(values, shelf) ?? '');
}

it('the event resource returns the same as the read tool, by alias or event_card_id', async () => {
  const { data, meta } = await readByTool('pme_16085');
  const { asOf, notice } = meta;
  expect(read('event', { id: 'PME_16085' })).toEqual({ data, meta: { asOf, notice } });
  expect(read('event', { id: data.event_card_id.toUpperCase() }).data).toEqual(data);
});

it('the tags resource counts the events with each tag, most frequent first', () => {
  db.exec('DELETE FROM market_event');
  put(db, [
    event({ id: '1', tags: ['crypto', 'bitcoin'] }),
    event({ id: '2', slug: 'b', tags: ['bitcoin'] }),
  ]);
  const { data } = read('event_tags');
  expect(data).toContainEqual({ tag: 'bitcoin', events: 2 });
  expect(data[0].events).toBe(2);
});

describe('completions of an event id', () => {
  const complete = (typed: string) => completeEvent(typed, shelf, {});

  it('contain the typed text or, failing that, belong to events that contain its words', () => {
    const all = complete('');
    expect(all).toHaveLength(35);
    expect(complete('pme_')).toEqual(all);
    const those = all.filter((id) => id.startsWith('pme_1609'));
    expect(complete('pme_1609')).toEqual(those);
    expect(complete('16085')).toEqual(['pme_16085']);
    expect(complete('fed cuts 2025')).toContain('pme_16085');
  });

  it('use only the first eight words', () => {
    expect(complete('how many fed rate cuts in 2025 a zebra')).not.toEqual([]);
    expect(complete('how many fed rate cuts in 2025 zebra')).toEqual([]);
  });

  it.each(['%%', "' OR 1=1 --", 'word '.repeat(40)])('are empty for %j', (typed) => {
    expect(complete(typed)).toEqual([]);
  });
});

it('the prompt escapes quotation marks in the question', () => {
  const said = marketPrompts[0]?.write({ question: 'Will the "Fed" cut?' }, shelf) ?? '';
  expect(said).toContain(String.raw`"Will the \"Fed\" cut?"`);
});
