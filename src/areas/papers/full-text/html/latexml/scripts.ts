const RAISED = new Map(zip('0123456789+-=()nia', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃ'));
const LOWERED = new Map(zip('0123456789+-=()aeijkn', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₙ'));

function zip(plain: string, small: string): [string, string][] {
  const signs = [...small];
  return [...plain].map((char, k) => [char, signs[k] ?? char]);
}

/** Superscript: symbols and ordinals unchanged, digits in Unicode superscript, the rest after "^". */
export function raise(text: string): string {
  if (/^(?:st|nd|rd|th|[\p{S}\p{P}]+|[⁰¹²³⁴-⁹]+)$/u.test(text) && !/^[+\-=()]+$/.test(text)) {
    return text;
  }
  return shift(text, RAISED, '^');
}

/** Subscript: digits in Unicode subscript, the rest after "_". */
export function lower(text: string): string {
  return shift(text, LOWERED, '_');
}

function shift(text: string, signs: ReadonlyMap<string, string>, prefix: string): string {
  const shifted = [...text].map((char) => signs.get(char));
  if (shifted.every((sign) => sign !== undefined)) return shifted.join('');
  return /^[\p{L}\p{N}]+$/u.test(text) ? `${prefix}${text}` : `${prefix}(${text})`;
}
