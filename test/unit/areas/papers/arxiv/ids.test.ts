import { describe, expect, it } from 'vitest';
import { cardIdOf, isArxivId, pdfUrlOf } from '../../../../../src/areas/papers/arxiv/ids.ts';

const WRONG = [
  '',
  '2401.00001v2',
  '2401.123456',
  '../2401.00001',
  'q-fin/../0601001',
  '2401.00001?x=1',
  '２４０１.00001',
];

describe('ids', () => {
  it.each(['2401.00001', '0704.0001', 'q-fin/0601001', 'hep-th/9901001'])(
    '%s is an arXiv id',
    (id) => {
      expect(isArxivId(id)).toBe(true);
    },
  );

  it.each(WRONG)('%j is not an arXiv id', (text) => {
    expect(isArxivId(text)).toBe(false);
  });

  it('a paper has the same card id on every machine', () => {
    // Computed independently, with Python's uuid.uuid5 and the same namespace.
    expect(cardIdOf('arxiv:1404.4944')).toBe('ff05c4c6-1274-5292-aa0e-b5ee72a48b2e');
    expect(cardIdOf('arxiv:q-fin/0601001')).not.toBe(cardIdOf('arxiv:1404.4944'));
  });

  it('the URL of a PDF names a version or the current one', () => {
    expect(pdfUrlOf('2401.00001', 3)).toBe('https://arxiv.org/pdf/2401.00001v3');
    expect(pdfUrlOf('q-fin/0601001', null)).toBe('https://arxiv.org/pdf/q-fin/0601001');
  });
});
