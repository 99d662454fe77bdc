import { describe, expect, it } from 'vitest';
import { decodeQuery } from '../../../../src/doors/http/rest.ts';
import { probes } from './door.ts';

const row = (name: string) => {
  const found = probes({}).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};
const decode = (query: string) => decodeQuery(row('probe_get'), new URLSearchParams(query), {});

describe('a query string', () => {
  it.each([
    ['limit=5', { limit: '5' }],
    ['limit=', { limit: '' }],
    ['limit=+5', { limit: ' 5' }],
    ['q=5', { q: '5' }],
    ['q=a+b%26c', { q: 'a b&c' }],
    ['kinds=a&kinds=b', { kinds: ['a', 'b'] }],
    ['kinds=5', { kinds: ['5'] }],
    ['kind=one', { kind: 'one' }],
    ['other=1', { other: '1' }],
    ['', {}],
  ])('%s', (query, input) => {
    expect(decode(query)).toEqual(input);
  });

  it('keeps names that mean something to JavaScript to themselves', () => {
    const decoded = decode('__proto__=1&constructor=2');
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(Object.keys(decoded)).toEqual(['__proto__', 'constructor']);
  });
});
