import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  indexText,
  indexVectors,
  removeFromIndex,
  type SearchProfile,
} from '../../../src/search/profile.ts';
import { describeHolding } from '../../../src/search/search.ts';
import { Synonyms } from '../../../src/search/synonyms.ts';
import { DIMENSIONS } from '../../../src/search/vectors.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting, openReadOnly } from '../../../src/store/open.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { claimModel, settingsMigrations, storedModel } from '../../../src/store/state.ts';
import { createSearchIndex, makeProfile, searchWith } from '../../search.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { axis, between, withVectors } from '../../vectors.ts';

const INDEX = makeProfile({}, 'events');
let path: string;
let db: Database.Database;
beforeEach(() => {
  path = join(temporaryDirectory(), 'store.sqlite');
  db = withVectors(openForWriting(path));
  // No test needs to survive a power cut.
  db.pragma('synchronous = OFF');
  createSearchIndex(db, INDEX);
});
afterEach(() => {
  db.close();
});

function put(id: number, title: string, body: string, vector?: Float32Array): void {
  indexText(db, INDEX, id, { title, body });
  if (vector !== undefined) indexVectors(db, INDEX, [{ id, vector }]);
}

/** Runs `write` for the ids 1 to `count` in one transaction, like a sync that writes many cards. */
function putAll(count: number, write: (id: number) => void): void {
  db.transaction(() => {
    for (let id = 1; id <= count; id += 1) write(id);
  })();
}

/** Cards that pass an SQL condition on `c`, a row of `from`. */
const cardsWhere = (where: string, from = 'card_vector') => ({
  from: `${from} c`,
  id: 'c.id',
  where,
  params: {},
});

type Query = Parameters<typeof searchWith>[2];
const matchesOf = async (query: Query) => (await searchWith(db, INDEX, query)).matches;
const ids = async (query: Query) => (await matchesOf(query)).map(({ id }) => id);

describe('search by words', () => {
  it('finds cards by synonyms of their words, but by one-way synonyms in one direction only', async () => {
    const synonyms = new Synonyms(['ada, cardano', 'easing, rate cut', 'kraken < crypto exchange']);
    const events = { ...INDEX, name: 'other_names', synonyms };
    createSearchIndex(db, events);
    const titles = ['Cardano lists', 'Rate cut', 'Rate of tax', 'Kraken', 'A crypto exchange'];
    for (const [at, title] of titles.entries()) {
      indexText(db, events, at + 1, { title, body: '' });
    }
    const covering = async (text: string) => {
      const { matches } = await searchWith(db, events, { text, vector: null });
      return matches.filter(({ coverage }) => coverage === 1).map(({ id }) => id);
    };
    expect(await covering('ada lists')).toEqual([1]);
    expect(await covering('easing')).toEqual([2]);
    expect((await covering('crypto exchange')).toSorted()).toEqual([4, 5]);
    expect(await covering('kraken')).toEqual([4]);
  });

  it('for events only, ranks a title whose words are all in the question above one with extra words', async () => {
    const rank = async (index: SearchProfile) => {
      createSearchIndex(db, index);
      indexText(db, index, 1, { title: 'Bitcoin price lunch', body: 'at hit' });
      indexText(db, index, 2, { title: 'Bitcoin price at', body: 'lunch hit' });
      const { matches } = await searchWith(db, index, { text: 'bitcoin price', limit: 2 });
      return matches.map(({ titleCoverage }) => titleCoverage);
    };
    const [first = 0, second = 0] = await rank(makeProfile({ name: 'event' }, 'events'));
    expect(first).toBeGreaterThan(second);
    expect(await rank(makeProfile({ name: 'paper' }))).toEqual([second, first]);
  });
});

describe('a search', () => {
  it('finds other forms of a word, and ranks one in a title above one in a body', async () => {
    put(1, 'Bonds', 'nothing of note');
    put(2, 'Credit', 'volatility once');
    put(3, 'Volatilities', 'nothing of note');
    expect(await ids({ text: 'What is volatility?' })).toEqual([3, 2]);
  });

  it('finds a one-word title although hundreds of other cards contain the word', async () => {
    put(1, 'The tontine', 'a form of annuity', axis(0));
    put(2, 'Tontine tontines', 'a tontine and tontines');
    for (let id = 3; id <= 400; id += 1) put(id, `Paper ${id}`, 'the tontine and other matters');
    expect((await ids({ text: 'tontine' })).slice(0, 2)).toEqual([2, 1]);
    expect(await ids({ text: 'tontine', vector: axis(9) })).toEqual(expect.arrayContaining([1, 2]));
  });

  it('finds by their words alone no cards that have only the year of a question', async () => {
    for (const [at, title] of ['Swaps', 'Swaps 2025', 'In 2025'].entries()) put(at + 1, title, 'x');
    const { matches } = await searchWith(db, { ...INDEX, aside: /^20/ }, { text: 'swaps 2025' });
    expect(matches.map(({ id }) => id)).toEqual([2, 1]);
  });

  it('ranks a match by words and vector above a match by either alone', async () => {
    put(1, 'carry trade', 'x', between(0, 1, 0.2));
    put(2, 'other', 'x', between(0, 1, 0.6));
    put(3, 'carry trade', 'x', between(0, 1, 0.6));
    expect((await ids({ text: 'carry trade', vector: axis(0) }))[0]).toBe(3);
  });

  it('ranks preferred cards by their full score, but reports no score above 1', async () => {
    put(1, 'Bonds', 'a swap once among other words', between(0, 1, 0.7));
    put(2, 'Swap spreads', 'swap spreads of a swap', between(0, 1, 0.9));
    put(3, 'Swap', 'not preferred', between(0, 1, 0.9));
    const preferred = cardsWhere('c.id < 3');
    const { hybrid, lexical } = INDEX.fitted;
    const fitted = { hybrid: { ...hybrid, boost: 1 }, lexical: { ...lexical, boost: 2 } };
    for (const vector of [null, axis(0)]) {
      const query = { text: 'swap spreads', vector, preferred };
      const { matches } = await searchWith(db, { ...INDEX, fitted }, query);
      expect(matches.map(({ id }) => id)).toEqual([2, 1, 3]);
      expect(matches.map(({ score }) => score).slice(0, 2)).toEqual([1, 1]);
    }
  });

  it('prefers a match by a named author, even if the author has hundreds of papers', async () => {
    const titleOf = (id: number) => (id === 125 ? 'Swap spreads' : `Paper ${id}`);
    putAll(250, (id) => put(id, titleOf(id), 'other matters', axis(5)));
    put(251, 'Swap spreads of swaps', 'swap spreads', axis(5));
    const preferred = cardsWhere('c.id < 251');
    const fitted = { ...INDEX.fitted, lexical: { ...INDEX.fitted.lexical, boost: 2 } };
    const query = { text: 'swap spreads', vector: null, preferred };
    expect((await searchWith(db, { ...INDEX, fitted }, query)).matches[0]?.id).toBe(125);
  });

  it.each([
    ...['title:', 'a AND NOT b', 'NEAR(a b)', "'; DROP TABLE card_terms; --", '^x', 'a\0"b\ud800'],
    'constructor toString __proto__',
    'x'.repeat(5000),
    Array.from({ length: 2000 }, (_, i) => `w${i}`).join(' '),
  ])('treats %j as plain words', async (text) => {
    put(1, 'title', 'body', axis(0));
    expect(await ids({ text, vector: axis(0) })).toEqual([1]);
  });

  it("sees another connection's writes and deletions", async () => {
    put(1, 'a', 'a', axis(0));
    const reader = withVectors(openReadOnly(path));
    const visibleIds = async () =>
      (await searchWith(reader, INDEX, { vector: axis(0) })).matches.map(({ id }) => id);
    expect(await visibleIds()).toEqual([1]);
    put(1_000, 'b', 'b', axis(0));
    put(2, 'c', 'c', between(0, 1, 0.5));
    expect(await visibleIds()).toEqual([1, 1_000, 2]);
    removeFromIndex(db, INDEX, 1);
    put(1_000, 'b', 'b', axis(3));
    expect(await visibleIds()).toEqual([2, 1_000]);
    reader.close();
  });

  it('sees the writes of its own open transaction', async () => {
    put(1, 'swap', 'a', axis(0));
    db.exec('BEGIN');
    put(2, 'swap swap', 'swap', axis(0));
    expect((await ids({ text: 'swap', vector: axis(0) })).toSorted()).toEqual([1, 2]);
    db.exec('ROLLBACK');
    expect(await ids({ text: 'swap', vector: axis(0) })).toEqual([1]);
  });

  it('ranks by the best passage if the cards are equally similar', async () => {
    const vector = between(0, 1, 0.5);
    for (const id of [1, 2, 3]) put(id, 'x', 'x');
    indexVectors(db, INDEX, [
      { id: 1, vector, passages: [axis(7)] },
      { id: 2, vector, passages: [axis(7), axis(0)] },
      { id: 3, vector },
    ]);
    const [best] = await matchesOf({ vector: axis(0) });
    expect(best).toMatchObject({ id: 2, coverage: 0 });
    expect(best?.passageCosine).toBeCloseTo(1, 2);
    expect(best?.cosine).toBeCloseTo(0.5, 2);
  });

  it('ranks by the best passage even if the cosine of the card is zero', async () => {
    for (const id of [1, 2]) put(id, 'x', 'x');
    indexVectors(db, INDEX, [
      { id: 1, vector: axis(1) },
      { id: 2, vector: axis(1), passages: [axis(0)] },
    ]);
    expect(await ids({ vector: axis(0) })).toEqual([2, 1]);
  });

  it('ranks a card without a vector by its words', async () => {
    for (let id = 1; id <= 20; id += 1) put(id, 'other words', 'x', between(0, 1, id / 50));
    put(21, 'uranium auction', 'x');
    expect((await ids({ text: 'uranium auction', vector: axis(0) }))[0]).toBe(21);
  });

  it('finds the only card with all the common words of a question, among thousands that lack one', async () => {
    putAll(6_000, (id) => put(id, id % 2 === 0 ? 'market' : 'volatility', 'of stocks and bonds'));
    put(3_001, 'market volatility', 'of stocks and bonds');
    expect((await ids({ text: 'stocks bonds market volatility' }))[0]).toBe(3_001);
    expect(await ids({ text: 'market' })).toHaveLength(10);
  });

  it('checks each card against a filter at most twice', async () => {
    putAll(3_000, (id) => put(id, 'bitcoin above', 'x'));
    db.exec('CREATE TABLE allowed (id INTEGER PRIMARY KEY, kind)');
    db.exec('CREATE INDEX kinds ON allowed (kind)');
    const allow = db.prepare('INSERT INTO allowed VALUES (?, 0)');
    putAll(2_600, (id) => allow.run(id));
    let checked = 0;
    db.function('check_card', (_) => {
      checked += 1;
      return 1;
    });
    const filter = cardsWhere('c.kind IN (0, 2) AND check_card(c.id)', 'allowed');
    expect(await ids({ text: 'bitcoin above', filter })).toHaveLength(10);
    expect(checked).toBeLessThanOrEqual(2 * 2_600);
    expect(await ids({ text: 'bitcoin', filter })).toHaveLength(10);
  });
});

describe('a vector', () => {
  const only = (first: number) => new Float32Array(DIMENSIONS).fill(first, 0, 1);
  it.each([
    ['a NaN component', only(Number.NaN)],
    ['an infinite component', only(Infinity)],
    ['norm 2', only(2)],
    ['norm 0', only(0)],
    ['another dimension', Float32Array.from([1])],
  ])('with %s is rejected in a card, a passage and a query', async (_, vector) => {
    for (const vectors of [{ vector }, { vector: axis(0), passages: [vector] }]) {
      expect(() => indexVectors(db, INDEX, [{ id: 1, ...vectors }])).toThrow(/vector/);
    }
    await expect(ids({ vector })).rejects.toThrow(/vector/);
    expect(await ids({ vector: axis(0) })).toEqual([]);
  });

  it('may only come from the model whose vectors the store already has', () => {
    const store = new Database(':memory:');
    migrate(store, settingsMigrations, new Date('2026-11-21'));
    claimModel(store, 'one@q4/mean');
    claimModel(store, 'one@q4/mean');
    expect(() => claimModel(store, 'two@q4/mean')).toThrow(
      /cannot be mixed.*If that version is newer, upgrade.*if it is older, move/,
    );
    expect(storedModel(store)).toBe('one@q4/mean');
  });
});

it.each([
  ['a word in any form', ['tree'], [3]],
  ['a phrase', ['random forest'], [2, 3]],
  ['two words', ['trees', 'rough'], []],
  ['a phrase that a card hyphenates', ['long short fund'], [1, 2]],
])('a search that excludes %s (%j) returns the cards %j', async (_, without, left) => {
  put(1, 'Random forests', 'trees for volatility', axis(0));
  put(2, 'A forest of random trees', 'for volatility', axis(0));
  put(3, 'Rough volatility', 'long-short funds', axis(0));
  for (const vector of [null, axis(0)]) {
    expect((await ids({ text: 'volatility', without, vector })).toSorted()).toEqual(left);
  }
});

it('a notice counts the cards that contain all terms of a broad subject, if not all are returned', () => {
  expect(describeHolding(1_200, 10, 'papers')).toBe(
    '1,200 papers contain all terms; these are the nearest.',
  );
  expect(describeHolding(1_200, 1, 'papers')).toContain('; this is the nearest.');
  expect([describeHolding(19, 10, 'papers'), describeHolding(20, 20, 'papers')]).toEqual(['', '']);
});
