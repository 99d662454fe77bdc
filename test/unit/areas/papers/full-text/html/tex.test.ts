import { describe, expect, it } from 'vitest';
import { keepTexOnly } from '../../../../../../src/areas/papers/full-text/html/tex.ts';

describe('a page before it is parsed', () => {
  it('is unchanged without formulas', () => {
    const html = `<!-- <math> --><script>"<math>x</math>"</script><style>math{}</style><p>a</p>`;
    expect(keepTexOnly(html)).toBe(html);
  });

  it.each(['<math ', '<math "', '<math>', '<!--', '<script>', '<annotation ', '<annotation>'])(
    'is scanned in linear time: %s',
    (piece) => {
      const html = piece.repeat(200_000);
      expect(keepTexOnly(html)).toBe(html);
      expect(keepTexOnly(`${html}<math>${piece.repeat(200_000)}</math>`)).toContain(html);
    },
  );
});
