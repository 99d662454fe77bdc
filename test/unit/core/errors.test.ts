import { expect, it } from 'vitest';
import { describeError, ServiceError } from '../../../src/core/errors.ts';

class OwnError extends Error {
  override readonly name = 'OwnError';
}

it.each([
  ['an error of our own class', new OwnError('no such model')],
  ['a ServiceError', new ServiceError('service_unavailable', 'no such model')],
  ['a system error', Object.assign(new Error('no such model'), { code: 'ENOENT' })],
  ['an SQLite error', Object.assign(new Error('no such model'), { code: 'SQLITE_FULL' })],
  ['a thrown string', 'no such model'],
])('%s is logged as its text alone, without a stack', (_, error) => {
  expect(describeError(error)).toBe('no such model');
});

it.each([
  ['an Error', new Error('a bug')],
  ['an error from Node', Object.assign(new TypeError('a bug'), { code: 'ERR_INVALID_ARG_TYPE' })],
])('%s that indicates a bug is logged with its stack', (_, error) => {
  expect(describeError(error)).toContain('errors.test.ts');
});
