import { afterAll, beforeAll, describe } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { loadRealModel, REAL_MODELS } from '../unit/embedding/real-model.ts';

/** Describes tests with the real model, which is loaded before the first one. Without it they are skipped. */
export function describeWithModel(title: string, body: (model: Pick<Embedder, 'embed'>) => void) {
  describe.skipIf(REAL_MODELS === undefined)(title, () => {
    let embedder: Embedder;
    beforeAll(async () => {
      embedder = await loadRealModel(2);
    });
    afterAll(() => embedder.close());
    body({ embed: (texts) => embedder.embed(texts) });
  });
}
