import { afterAll, describe, expect, it } from 'vitest';
import { ask } from '../../../../src/store/search/ask.ts';
import { createSearchIndex, indexText } from '../../../../src/store/search/index.ts';
import { Database } from '../../../../src/store/sqlite.ts';

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
});
