import type { Section } from './figures.ts';
import { measureHistories } from './macro.ts';
import { measurePulls } from './market-pull.ts';
import { measureMarkets } from './markets.ts';
import { measureFirstStart, measureListing, measureMemory, measureOperations } from './measure.ts';
import { measureEmbedding, measureFilling, measureHarvest, measureSections } from './papers.ts';
import type { Sizes } from './sizes.ts';

/** A part of the benchmark; null where it needs the model and there is none. */
type Step = (sizes: Sizes, modelDir: string | null) => Promise<Section> | null;

/** Everything but search, in the order of the page. */
export const STEPS: Readonly<Record<string, Step>> = {
  listing: measureListing,
  firstStart: measureFirstStart,
  memory: measureMemory,
  calls: (sizes, modelDir) => (modelDir === null ? null : measureOperations(sizes, modelDir)),
  callsWithoutModel: (sizes) => measureOperations(sizes, null),
  histories: measureHistories,
  markets: measureMarkets,
  pulls: measurePulls,
  harvest: measureHarvest,
  sections: measureSections,
  embedding: (sizes, modelDir) => (modelDir === null ? null : measureEmbedding(sizes, modelDir)),
  filling: (sizes, modelDir) => (modelDir === null ? null : measureFilling(sizes, modelDir)),
};
