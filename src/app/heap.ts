import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What Node 20 and 22 allow the space of new objects; Node 24 allows four times as much. */
const MAX_NEW_BYTES = 32 * 1024 ** 2;
/** Watching costs a start 3 ms; memory grows later. */
const WATCH_AFTER_MS = 1_000;

/**
 * Keeps garbage from taking the memory of many long answers. V8 collects the old generation when it
 * has grown to twice what was alive, not to four times. The space of new objects stops growing at
 * `MAX_NEW_BYTES`: a running V8 does not read `--max-semi-space-size`, but the factor by which that
 * space grows. Call it before the compile cache is enabled, since code that was cached under other
 * flags is compiled again.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setTimeout(limitNewSpace, WATCH_AFTER_MS).unref();
}

function limitNewSpace(): void {
  let growth = 2;
  const limit = () => {
    // An idle process gives the space back, and must be able to grow again.
    const factor = newBytes() < MAX_NEW_BYTES ? 2 : 1;
    if (factor !== growth) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
    growth = factor;
  };
  limit();
  new PerformanceObserver(limit).observe({ entryTypes: ['gc'] });
}

function newBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

/** Added to `node:module` in Node 22.1. */
type EnableCompileCache = (directory: string) => unknown;

/**
 * Caches V8's compiled code of all modules loaded from now on in the home. Does nothing while there
 * is no home: the first call creates it, with its access rights.
 */
export function enableCompileCache(home: string): void {
  const enable: EnableCompileCache | undefined = Reflect.get(module, 'enableCompileCache');
  if (enable !== undefined && existsSync(home)) enable(join(home, 'compile-cache'));
}
