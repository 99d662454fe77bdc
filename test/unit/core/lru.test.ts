import { expect, it } from 'vitest';
import { createLruCache } from '../../../src/core/lru.ts';

it('drops the least recently used entry beyond its limit; get and set count as use', () => {
  const cache = createLruCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  cache.set('a', 4);
  cache.set('d', 5);
  expect(['a', 'c', 'd'].map((key) => cache.get(key))).toEqual([4, undefined, 5]);
});
