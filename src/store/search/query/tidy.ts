/** A text from which phrases were cut, without the punctuation that they leave behind. */
export function tidy(text: string): string {
  return text
    .replace(/\(\s*\)|\[\s*\]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/(?<=[.?!]) [.,;:]+/gu, '')
    .replace(/ (?=[,.;:?!])/gu, '')
    .replace(/[,;:]+(?=[,.;:?!])/gu, '')
    .replace(/^[\s,;:.?!)]+|[\s,;:(–—-]+$/gu, '');
}
