import { setFlagsFromString } from 'node:v8';

/**
 * V8 collects the old generation when it has grown to twice what was alive, not to four times: with
 * many long answers at once, memory was mostly garbage. Call it before the compile cache is enabled,
 * since code that was cached under other flags is compiled again.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
