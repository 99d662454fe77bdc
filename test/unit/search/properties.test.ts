import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countCards } from '../../../src/search/lexical.ts';
import { indexText, indexVectors, removeFromIndex } from '../../../src/search/profile.ts';
import { createSearchIndex, makeProfile, searchWith } from '../../search.ts';
import { axis, copyInMemory, openInMemory } from '../../vectors.ts';

const INDEX = makeProfile();
/** Words that the stemmer leaves unchanged. */
const WORDS = ['gold', 'swap', 'carry', 'vix', 'bond', 'fed'];

interface Card {
  title: string[];
  body: string[];
  angle: number | null;
}
interface Write {
  id: number;
  card: Card | null;
}

const some = (max: number) => fc.array(fc.constantFrom(...WORDS), { maxLength: max });
const angle = fc.integer({ min: 0, max: 35 }).map((step) => (step * Math.PI) / 18);
const cards = fc.record({ title: some(3), body: some(6), angle: fc.option(angle) });
const writes = fc.record({ id: fc.integer({ min: 1, max: 12 }), card: fc.option(cards) });

/** A unit vector in the plane of the first two axes. */
function vectorAt(radians: number): Float32Array {
  const [one, other] = [axis(0), axis(1)];
  return one.map((value, at) => value * Math.cos(radians) + (other[at] ?? 0) * Math.sin(radians));
}

const empty = openInMemory();
createSearchIndex(empty, INDEX);
const content = empty.serialize();

/** Writes to the index and to a plain map, with which the index must agree. */
function fill(db: Database.Database, steps: readonly Write[]): Map<number, Card> {
  const model = new Map<number, Card>();
  for (const { id, card } of steps) {
    removeFromIndex(db, INDEX, id);
    model.delete(id);
    if (card === null) continue;
    indexText(db, INDEX, id, { title: card.title.join(' '), body: card.body.join(' ') });
    if (card.angle !== null) indexVectors(db, INDEX, [{ id, vector: vectorAt(card.angle) }]);
    model.set(id, card);
  }
  return model;
}

const sharesWord = (card: Card, words: readonly string[]) =>
  words.some((word) => card.title.includes(word) || card.body.includes(word));

const questions = fc.record({
  words: some(4),
  angle: fc.option(angle),
  limit: fc.integer({ min: 1, max: 15 }),
  within: fc.uniqueArray(fc.integer({ min: 1, max: 12 })),
});

it('any search returns only cards that share a word with it or have a vector, up to its limit, sorted by score', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { maxLength: 20 }), questions, async (steps, question) => {
      const db = copyInMemory(content);
      const model = fill(db, steps);
      const query = {
        text: `unheard ${question.words.join(' ')}`,
        vector: question.angle === null ? null : vectorAt(question.angle),
        limit: question.limit,
        filter: {
          from: 'json_each(@ids) allowed',
          id: 'allowed.value',
          where: 'true',
          params: { ids: JSON.stringify(question.within) },
        },
      };
      const { matches: hits } = await searchWith(db, INDEX, query);
      expect(countCards(db, INDEX.name)).toBe(model.size);
      db.close();

      const expected = [...model].filter(
        ([id, card]) =>
          question.within.includes(id) &&
          (sharesWord(card, question.words) || (question.angle !== null && card.angle !== null)),
      );
      expect(hits).toHaveLength(Math.min(question.limit, expected.length));
      expect(expected.map(([id]) => id)).toEqual(expect.arrayContaining(hits.map(({ id }) => id)));
      const sorted = hits.toSorted((a, b) => b.score - a.score || a.id - b.id);
      expect(hits).toEqual(sorted);
      for (const { id, score, cosine } of hits) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        const at = model.get(id)?.angle ?? null;
        if (question.angle === null || at === null) expect(cosine).toBeNull();
        else expect(Math.abs((cosine ?? 9) - Math.cos(question.angle - at))).toBeLessThan(0.01);
      }
    }),
    { numRuns: 100 },
  );
});
