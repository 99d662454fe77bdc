import { describe, expect, it } from 'vitest';
import { describeError, ServiceError } from '../../../src/core/errors.ts';

class OwnError extends Error {
  override readonly name = 'OwnError';
}

describe('an error in the log', () => {
  it.each([
    new OwnError('no such model'),
    new ServiceError('service_unavailable', 'no such model'),
    Object.assign(new Error('no such model'), { code: 'ENOENT' }),
    Object.assign(new Error('no such model'), { code: 'SQLITE_FULL' }),
    'no such model',
  ])('is one line if the failure is expected: %s', (error) => {
    expect(describeError(error)).toBe('no such model');
  });

  it.each([
    new Error('a bug'),
    new TypeError('a bug'),
    Object.assign(new TypeError('a bug'), { code: 'ERR_INVALID_ARG_TYPE' }),
  ])('includes its stack if it is a bug: %s', (error) => {
    expect(describeError(error)).toContain('errors.test.ts');
  });
});
