import { expect, it } from 'vitest';
import { render } from '../../../src/cli/own.ts';

const REPORT = { counts: {}, papers: [], failed: [], gone: [], embedded: 0, finished: true };

it.each([
  ['that it found no files', { error: null }, 'no PDFs or saved pages were found.'],
  [
    'only the error that kept it from reading any',
    { error: 'The disk is full.' },
    'The disk is full.',
  ],
  [
    'what it did before an error',
    { error: 'The disk is full.', counts: { added: 2 } },
    '2 added.\nThe disk is full.',
  ],
])('the report of `add` says %s', (_, more, text) => {
  expect(render({ ...REPORT, ...more }, false)).toBe(text);
});
