import { expect, it } from 'vitest';
import { starterTexts } from '../../scripts/starter/compile.ts';
import { readStarterVectors } from '../../scripts/starter/vectors.ts';
import { MODEL_STAMP } from '../../src/embedding/pinned.ts';
import { describeWithModel } from './model.ts';

/** Embeds one text in this many. The build checks by digests that no vector is older than its text. */
const EVERY = process.env.LONG_TESTS === '1' ? 1 : 8;

describeWithModel('the real model', (embedder) => {
  it('reproduces the committed vectors', async () => {
    const committed = readStarterVectors('data/starter/vectors.txt');
    const texts = starterTexts('data').filter((_, index) => index % EVERY === 0);
    const vectors = await embedder.embed(texts.map(({ text }) => text));
    expect(committed.model).toBe(MODEL_STAMP);
    for (const [index, { key }] of texts.entries()) {
      const [fresh, held] = [vectors[index], committed.entries.get(key)?.vector];
      const cosine = fresh?.reduce((sum, x, i) => sum + x * (held?.[i] ?? 0), 0);
      expect(cosine, key).toBeGreaterThan(0.999);
    }
  });
});
