import { macroIndicatorHistory, macroIndicatorSearch } from './areas/macro/operations.ts';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
  predictionMarketEventSearch,
} from './areas/markets/operations.ts';
import { paperRead, paperSearch } from './areas/papers/operations.ts';
import type { Operation } from './core/operation.ts';

/** THE TABLE: every operation of the service, in the order in which it is published. */
export const operations: readonly Operation[] = [
  paperSearch,
  paperRead,
  macroIndicatorSearch,
  macroIndicatorHistory,
  predictionMarketEventBrowse,
  predictionMarketEventSearch,
  predictionMarketEventRead,
];

export function findOperation(name: string): Operation | undefined {
  return operations.find((operation) => operation.name === name);
}
