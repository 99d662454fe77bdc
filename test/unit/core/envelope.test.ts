import { describe, expect, it } from 'vitest';
import { noticeOf, withoutNulls } from '../../../src/core/envelope.ts';

it('a reply omits null fields, but keeps zero, false and empty texts', () => {
  expect(withoutNulls({ a: null, b: 0, c: '', d: false })).toEqual({ b: 0, c: '', d: false });
});

describe('a notice', () => {
  it.each([
    [[], undefined],
    [['', ''], undefined],
    [['Held since 2025.', ''], 'Held since 2025.'],
    [['First.', '', 'Second.'], 'First. Second.'],
    [
      ['First.', 'Second one.', 'A third.', 'FRED said no.', 'arXiv, too.', 'QuantShelf.'],
      'First. Second one; a third; FRED said no; arXiv, too; QuantShelf.',
    ],
  ])('made of %j has at most two sentences: %s', (parts, notice) => {
    expect(noticeOf(parts).notice).toBe(notice);
  });
});
