import fc from 'fast-check';

// fast-check's own texts of any characters begin with a table of all of Unicode, a second of work in each process.

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0x10ffff }),
);

/** Text of any code points, halves of surrogate pairs included. */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(codePoint, { maxLength })
    .map((points) => points.map((point) => String.fromCodePoint(point)).join(''));
}

const urlCharacter = fc.oneof(
  fc.constantFrom(...`azAZ09-._~!$&'()*+,;=:@/?`),
  // Half a character has no encoding; a buffer makes it the mark for none.
  codePoint.map((point) => encodeURIComponent(Buffer.from(String.fromCodePoint(point)).toString())),
);

/** What may stand in a path or a query of a URL: its own characters as they are, any others percent-encoded. */
export const urlText: fc.Arbitrary<string> = fc
  .array(urlCharacter, { maxLength: 20 })
  .map((characters) => characters.join(''));
