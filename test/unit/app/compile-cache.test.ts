import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { enableCompileCache } from '../../../src/app/heap.ts';

/** Node from 22.1 on, whatever runs the tests. */
function nodeWithCache() {
  const enable = vi.fn();
  const before = Object.getOwnPropertyDescriptor(module, 'enableCompileCache');
  Object.defineProperty(module, 'enableCompileCache', { value: enable, configurable: true });
  onTestFinished(() => {
    Reflect.deleteProperty(module, 'enableCompileCache');
    if (before !== undefined) Object.defineProperty(module, 'enableCompileCache', before);
  });
  return enable;
}

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'quantshelf-cache-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

it('keeps the cache in the home', () => {
  const enable = nodeWithCache();
  const home = makeHome();
  enableCompileCache(home);
  expect(enable.mock.calls).toEqual([[join(home, 'compile-cache')]]);
});

it('makes no home', () => {
  const enable = nodeWithCache();
  enableCompileCache(join(makeHome(), 'below'));
  expect(enable).not.toHaveBeenCalled();
});

it.skipIf('enableCompileCache' in module)('does nothing where Node has none', () => {
  const home = makeHome();
  enableCompileCache(home);
  expect(readdirSync(home)).toEqual([]);
});
