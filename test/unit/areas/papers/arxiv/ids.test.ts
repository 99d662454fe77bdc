import { expect, it } from 'vitest';
import { cardIdOf, isArxivId } from '../../../../../src/areas/papers/arxiv/ids.ts';

it.each(['2401.00001', '0704.0001', 'q-fin/0601001', 'hep-th/9901001'])(
  'isArxivId accepts %s',
  (id) => {
    expect(isArxivId(id)).toBe(true);
  },
);

it.each([
  ...['', '2401.00001v2', '2401.123456', '../2401.00001', 'q-fin/../0601001', '2401.00001?x=1'],
  '２４０１.00001',
])('isArxivId rejects %j', (text) => {
  expect(isArxivId(text)).toBe(false);
});

it('a paper has the same card id on every machine', () => {
  // Computed independently, with Python's uuid.uuid5 and the same namespace.
  expect(cardIdOf('arxiv:1404.4944')).toBe('ff05c4c6-1274-5292-aa0e-b5ee72a48b2e');
});
