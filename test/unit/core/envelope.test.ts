import { expect, it } from 'vitest';
import { noticeOf, withoutNulls } from '../../../src/core/envelope.ts';

it('a reply omits null fields, but keeps zero, false and the empty string', () => {
  expect(withoutNulls({ a: null, b: 0, c: '', d: false })).toEqual({ b: 0, c: '', d: false });
});

it.each([[[]], [['', '']]])('the parts %j make no notice', (parts) => {
  expect(noticeOf(parts)).toEqual({});
});

it.each([
  [['Held since 2025.', ''], 'Held since 2025.'],
  [['First.', '', 'Second.'], 'First. Second.'],
  [
    ['First.', 'Second one.', 'A third.', 'FRED said no.', 'arXiv, too.', 'QuantShelf.'],
    'First. Second one; a third; FRED said no; arXiv, too; QuantShelf.',
  ],
])('the parts %j make the notice "%s"', (parts, notice) => {
  expect(noticeOf(parts).notice).toBe(notice);
});
