import { decodeHTMLStrict } from 'entities/decode';

/** Not allowed in XML even when escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/**
 * CDATA, which is passed over; a reference; and what may not stand in text: a bare ampersand, the
 * end of CDATA, a "<" that begins no tag. An unclosed CDATA goes to the end, so that time stays linear.
 */
const SUSPECT =
  /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|&(?!(?:amp|lt|gt|quot|apos);)(?:(?:#(\d+)|#[xX]([\dA-Fa-f]+)|([A-Za-z][A-Za-z\d]*));)?|\]\]>|<(?![A-Za-z_:/!?])/g;
/** An honest record needs a few, a hostile one could keep the program busy with millions. */
const MAX_REPAIRS = 20_000;

/** A fault that may be that of a single item of a document; its message is in our words. */
export class XmlFault extends Error {}

/**
 * Mends what has only one sensible reading: characters outside XML's range are dropped, escaped or
 * not; HTML's named entities are decoded; an unknown entity, a bare "&" and a "<" before a blank or a
 * digit are text. Well-formed XML without entities of its own keeps its meaning. Throws an XmlFault
 * for more faults than an honest record has.
 */
export function repairXml(text: string): string {
  const allowed = text.replace(FORBIDDEN, '');
  let repaired = '';
  let from = 0;
  let repairs = 0;
  // One by one: replace() would find millions of them before it hands over the first.
  for (const match of allowed.matchAll(SUSPECT)) {
    if (match[0].startsWith('<![')) continue;
    repairs += 1;
    if (repairs > MAX_REPAIRS) throw new XmlFault('XML with too many faults');
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

/** '' for a code point that XML does not know. */
function referenceTo(code: number): string {
  const isCharacter =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  return isCharacter ? `&#${code};` : '';
}

function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
