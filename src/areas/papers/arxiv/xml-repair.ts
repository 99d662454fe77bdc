import { decodeHTMLStrict } from 'entities/decode';

/** Not allowed in XML even when escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/**
 * CDATA, which is skipped; references; and what text must not contain: a bare ampersand, the end of
 * CDATA, a "<" that starts no tag. An unclosed CDATA extends to the end, so that time stays linear.
 */
const SUSPECT =
  /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|&(?!(?:amp|lt|gt|quot|apos);)(?:(?:#(\d+)|#[xX]([\dA-Fa-f]+)|([A-Za-z][A-Za-z\d]*));)?|\]\]>|<(?![A-Za-z_:/!?])/g;
/** A real document needs a few; a hostile one could need millions. */
export const MAX_REPAIRS = 20_000;

/** A fault in the XML, possibly confined to one item; the message is ours. */
export class XmlFault extends Error {}

/**
 * Repairs faults with only one sensible reading: drops characters outside XML's range, escaped or
 * not; decodes HTML's named entities; escapes an unknown entity, a bare "&", and a "<" that starts no
 * tag. Well-formed XML without entities of its own keeps its meaning. Takes each repair from
 * `repairs`; throws an XmlFault when none is left.
 */
export function repairXml(text: string, repairs = { left: MAX_REPAIRS }): string {
  const allowed = text.replace(FORBIDDEN, '');
  let repaired = '';
  let from = 0;
  // Not replace(): it would collect every match before the limit can apply.
  for (const match of allowed.matchAll(SUSPECT)) {
    if (match[0].startsWith('<![')) continue;
    repairs.left -= 1;
    if (repairs.left < 0) throw new XmlFault('too many XML faults');
    repaired += allowed.slice(from, match.index) + repairOf(match);
    from = match.index + match[0].length;
  }
  return repaired + allowed.slice(from);
}

function repairOf([found, decimal, hex, name]: RegExpExecArray): string {
  if (decimal !== undefined) return referenceTo(Number(decimal));
  if (hex !== undefined) return referenceTo(Number.parseInt(hex, 16));
  return escapeMarkup(name === undefined ? found : decodeHTMLStrict(found));
}

/** '' for a code point that XML does not allow. */
function referenceTo(code: number): string {
  const letter = code <= 0x10ffff ? String.fromCodePoint(code) : '';
  return /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u.test(letter) ? `&#${code};` : '';
}

function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
