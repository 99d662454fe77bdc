import { describe, expect, it } from 'vitest';
import { isArxivId, pathOf, pdfUrlOf } from '../../../../../src/areas/papers/arxiv/ids.ts';
import { RejectedRequestError } from '../../../../../src/upstream/errors.ts';

const WRONG = [
  '',
  'abc',
  '2401.00001v2',
  '2401.123',
  '2401.123456',
  ' 2401.00001',
  '2401.00001\n',
  '../2401.00001',
  'q-fin/060100',
  'q-fin/0601001/x',
  'Q-FIN/0601001',
  'q-fin/../0601001',
  'arxiv:2401.00001',
  '2401.00001?x=1',
  '２４０１.00001',
];

describe('ids', () => {
  it.each([
    '2401.00001',
    '0704.0001',
    '1404.4944',
    'q-fin/0601001',
    'math/0309136',
    'hep-th/9901001',
  ])('accepts %s', (id) => {
    expect(isArxivId(id)).toBe(true);
  });

  it.each(WRONG)('rejects %j', (text) => {
    expect(isArxivId(text)).toBe(false);
    expect(() => pathOf(text, null)).toThrow(RejectedRequestError);
    expect(() => pdfUrlOf(text, 1)).toThrow(RejectedRequestError);
  });

  it('builds the URL of a version or of the current one', () => {
    expect(pdfUrlOf('2401.00001', 3)).toBe('https://arxiv.org/pdf/2401.00001v3');
    expect(pdfUrlOf('q-fin/0601001', null)).toBe('https://arxiv.org/pdf/q-fin/0601001');
    for (const version of [0, -1, 1.5, Number.NaN]) {
      expect(() => pdfUrlOf('2401.00001', version)).toThrow(RejectedRequestError);
    }
  });
});
