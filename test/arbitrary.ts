import fc from 'fast-check';

// fast-check's own arbitraries for text build a table of all of Unicode, which takes a second per process.

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0x10ffff }),
);

/** Text of any code points, including lone surrogates. */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(codePoint, { maxLength })
    .map((points) => points.map((point) => String.fromCodePoint(point)).join(''));
}
