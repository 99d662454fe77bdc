import { listMacroNews } from './areas/macro/news.ts';
import { macroIndicatorHistory, macroIndicatorSearch } from './areas/macro/operations.ts';
import { macroPrompts } from './areas/macro/prompts.ts';
import { macroResources } from './areas/macro/resources.ts';
import { listMarketNews } from './areas/markets/news.ts';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
  predictionMarketEventSearch,
} from './areas/markets/operations.ts';
import { marketPrompts } from './areas/markets/prompts.ts';
import { marketResources } from './areas/markets/resources.ts';
import { paperRead, paperSearch } from './areas/papers/operations.ts';
import { paperPrompts } from './areas/papers/prompts.ts';
import { listPaperNews } from './areas/papers/queries.ts';
import { paperResources } from './areas/papers/resources.ts';
import type { Area } from './core/area.ts';
import { type ListNews, newsResource, weeklyBrief } from './core/news.ts';
import type { Operation } from './core/operation.ts';
import type { Prompt, Resource } from './core/resource.ts';

/** The table of all operations, in the order in which they are published. */
export const operations: readonly Operation[] = [
  paperSearch,
  paperRead,
  macroIndicatorSearch,
  macroIndicatorHistory,
  predictionMarketEventBrowse,
  predictionMarketEventSearch,
  predictionMarketEventRead,
];

export const news: Readonly<Record<Area, ListNews>> = {
  papers: listPaperNews,
  macro: listMacroNews,
  markets: listMarketNews,
};

export const resources: readonly Resource[] = [
  ...paperResources,
  ...macroResources,
  ...marketResources,
  newsResource(news),
];

export const prompts: readonly Prompt[] = [
  ...paperPrompts,
  ...macroPrompts,
  ...marketPrompts,
  weeklyBrief(news),
];

export function findOperation(name: string): Operation | undefined {
  return operations.find((operation) => operation.name === name);
}
