import { afterAll, describe, expect, it } from 'vitest';
import { ask } from '../../../../src/store/search/ask.ts';
import { createSearchIndex, indexText, indexVectors } from '../../../../src/store/search/index.ts';
import { DIMENSIONS } from '../../../../src/store/search/vectors/float32.ts';
import { Database } from '../../../../src/store/sqlite.ts';
import { openInMemory } from '../../../vectors.ts';

const INDEX = { name: 'card', columns: { title: 2, body: 1 } };
const db = new Database(':memory:');
createSearchIndex(db, INDEX);
const CARDS: readonly (readonly [title: string, body: string])[] = [
  ['Market making in cryptocurrencies', 'dealers quote crypto coins'],
  ['Market making in bonds', 'dealers quote bonds'],
  ['Seed dispersal', 'birds and trees'],
];
for (const [at, [title, body]] of CARDS.entries()) indexText(db, INDEX, at + 1, { title, body });
afterAll(() => db.close());

const embedded: string[] = [];
const context = {
  db,
  now: () => new Date('2026-11-22T12:00:00Z'),
  isWord: async (word: string) => word === 'the' || word === 'market',
  embedQuery: async (text: string) => {
    embedded.push(text);
    return { unavailable: 'no model' };
  },
};
const asked = (text: string) => ask(context, INDEX, { text, limit: 3 });

describe('a question', () => {
  it('is ranked without what it excludes, which counts against a card', async () => {
    const plain = await asked('market making in cryptocurrencies or bonds');
    expect(plain.understood).toEqual([]);
    const { matches, understood } = await asked('market making, not about cryptocurrencies');
    expect(matches.map(({ id }) => id)).toEqual([2, 1]);
    expect(matches[0]?.score).toBeGreaterThan(matches[1]?.score ?? 1);
    expect(understood).toEqual(['not: cryptocurrencies']);
  });

  it('is embedded without its frame and with its errors corrected', async () => {
    const { understood } = await asked(
      'Hello! I am a student. Could you find papers about markte making by dealers in bonds? Thank you.',
    );
    expect(embedded.at(-1)).toBe('market making by dealers in bonds?');
    expect(understood).toEqual(['word: markte → market']);
  });

  it('in another language is no strong match, and the notice says why', async () => {
    const { verdict, notices } = await asked('market making mit bonds oder ohne die dealers');
    expect(verdict).not.toBe('strong');
    expect(notices[0]).toContain('German');
    expect((await asked('market making in bonds')).notices).toEqual(['', 'no model']);
  });

  it('is refused without a word, and none with function words only', async () => {
    const refused = {
      code: 'invalid_request',
      param: 'query',
      message: /no words: name a subject/,
    };
    for (const text of ['???', '…', '🙂 !']) {
      await expect(asked(text)).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(refused.message),
      });
    }
    for (const text of [
      'tell me something',
      'more than before',
      'hello',
      'HI!',
      'thank you very much',
    ]) {
      const { verdict, notices } = await asked(text);
      expect([verdict, notices[0]], text).toEqual(['none', expect.stringMatching(/too little/)]);
    }
    // The country, not the pronoun.
    const shelf = new Database(':memory:');
    createSearchIndex(shelf, INDEX);
    indexText(shelf, INDEX, 1, { title: 'US rates', body: '' });
    const { verdict } = await ask({ ...context, db: shelf }, INDEX, { text: 'US', limit: 1 });
    expect(verdict).not.toBe('none');
  });

  it('that says too little of papers is told so', async () => {
    const prose = { ...INDEX, isProse: true };
    const noticesOf = async (text: string) =>
      (await ask(context, prose, { text, limit: 3 })).notices[0];
    expect(await noticesOf('market')).toMatch(/says too little: name a subject/);
    expect(await noticesOf('what about it')).toMatch(/says too little: name a subject/);
    expect(await noticesOf('market making in cryptocurrencies')).toBe('');
    const filter = { from: 'card_terms c', id: 'c.rowid', where: 'true', params: {} };
    const preferences = [{ filter, boost: 0.1 }];
    const preferring = await ask(context, prose, { text: 'market', limit: 3, preferences });
    expect(preferring.notices[0]).toBe('');
  });

  it('has a field score with the model that the direction of the field was made with', async () => {
    const axis = (at: number) => Float32Array.from({ length: DIMENSIONS }, (_, i) => +(i === at));
    const shelf = openInMemory();
    createSearchIndex(shelf, INDEX);
    indexText(shelf, INDEX, 1, { title: 'Market making in bonds', body: '' });
    indexVectors(shelf, INDEX, [{ id: 1, vector: axis(0) }]);
    const field = {
      direction: [2, -2, ...new Array<number>(DIMENSIONS - 2).fill(0)],
      midpoint: 0.5,
    };
    const scoreOf = async (embedding: { vector: Float32Array }) => {
      const given = { ...context, db: shelf, embedQuery: async () => embedding };
      const { evidence } = await ask(given, { ...INDEX, field }, { text: 'bonds', limit: 1 });
      return evidence?.fieldScore;
    };
    expect(await scoreOf({ vector: axis(0) })).toBe(1.5);
    expect(await scoreOf({ vector: axis(1) })).toBe(-2.5);
    shelf.close();
  });
});
