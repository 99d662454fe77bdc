import { expect, it } from 'vitest';
import { render } from '../../../src/cli/own.ts';

const REPORT = { counts: {}, papers: [], failed: [], gone: [], embedded: 0, finished: true };

it.each([
  [
    'says how to find more',
    { error: null },
    '0 PDFs or saved pages found; --recursive includes subfolders.',
  ],
  ['is only the error if no file was read', { error: 'The disk is full.' }, 'The disk is full.'],
  [
    'counts the papers added before an error',
    { error: 'The disk is full.', counts: { added: 2 } },
    '2 added.\nThe disk is full.',
  ],
])('the report of `add` %s', (_, more, text) => {
  expect(render({ ...REPORT, ...more }, {})).toBe(text);
});
