/** An entry as BibTeX reads it: field names in lower case, values without their outer braces. */
export interface BibEntry {
  type: string;
  key: string;
  fields: Record<string, string>;
}

/**
 * Reads a .bib file by BibTeX's own rules: a brace counts even if escaped, and text between
 * entries is ignored. Shares no code with what it tests.
 */
export function readBibtex(text: string): BibEntry[] {
  const entries: BibEntry[] = [];
  let at = text.indexOf('@');
  while (at >= 0) {
    const [head = '', type = '', key = ''] = /^@(\w+)\{([^\s,{}]+),\s*/.exec(text.slice(at)) ?? [];
    if (head === '') throw new Error(`no entry begins at ${text.slice(at, at + 40)}`);
    at += head.length;
    const fields: Record<string, string> = {};
    for (;;) {
      const [start = '', name = ''] = /^\s*(\w+)\s*=\s*\{/.exec(text.slice(at)) ?? [];
      if (start === '') break;
      const end = endOfGroup(text, at + start.length);
      if (name.toLowerCase() in fields) throw new Error(`${name} appears twice`);
      fields[name.toLowerCase()] = text.slice(at + start.length, end);
      at = end + 1;
      at += /^\s*,?\s*/.exec(text.slice(at))?.[0].length ?? 0;
    }
    if (text[at] !== '}') throw new Error(`the entry does not end at ${text.slice(at, at + 40)}`);
    entries.push({ type, key, fields });
    at = text.indexOf('@', at);
  }
  return entries;
}

function endOfGroup(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error('a brace is not closed');
}

/** How many names an author field has: "and" counts outside braces only. */
export function countNames(value: string): number {
  let outside = value;
  while (/\{[^{}]*\}/.test(outside)) outside = outside.replace(/\{[^{}]*\}/g, 'x');
  return outside.split(/\s+and\s+/i).length;
}

const PRINTED: Readonly<Record<string, string>> = {
  textbraceleft: '{',
  textbraceright: '}',
  textasciitilde: '~',
  textasciicircum: '^',
  textbackslash: '\\',
  textless: '<',
  textgreater: '>',
  textbar: '|',
};

/** What TeX prints for a value; formulas stay between dollar signs. Throws if TeX would fail. */
export function printed(value: string): string {
  let out = '';
  for (let at = 0; at < value.length; ) {
    const rest = value.slice(at);
    const [math] = /^\$(?:[^$\\]|\\[\s\S])+\$/.exec(rest) ?? [];
    const [named, name = ''] = /^\\([A-Za-z]+)\{\}/.exec(rest) ?? [];
    const [sign] = /^\\[&%$#_]/.exec(rest) ?? [];
    if (math !== undefined) out += math;
    else if (named !== undefined) out += PRINTED[name] ?? fail(named);
    else if (sign !== undefined) out += sign.slice(1);
    else if (/^[&%$#_~^\\<>|]/.test(rest)) fail(rest.slice(0, 20));
    else if (!/^[{}]/.test(rest)) out += rest[0];
    at += (math ?? named ?? sign ?? rest[0] ?? '').length;
  }
  return out;
}

function fail(what: string): never {
  throw new Error(`TeX would stumble over ${what}`);
}
