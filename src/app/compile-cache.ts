import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/** Of `node:module`, since Node 22.1. */
type EnableCompileCache = (directory: string) => unknown;

/**
 * Keeps V8's compiled code of what is loaded from now on in the home, for the next start.
 * A home that is not there yet stays so: the first call makes it, with its own access rights.
 */
export function enableCompileCache(home: string): void {
  const enable: EnableCompileCache | undefined = Reflect.get(module, 'enableCompileCache');
  if (enable !== undefined && existsSync(home)) enable(join(home, 'compile-cache'));
}
