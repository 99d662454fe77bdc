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

/** Splits at a separator outside braces. */
function splitOutside(value: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  for (let at = 0; at < value.length; at += 1) {
    const found = depth === 0 ? separator.exec(value.slice(at))?.[0] : undefined;
    if (found !== undefined) {
      parts.push(part);
      part = '';
      at += found.length - 1;
      continue;
    }
    if (value[at] === '{') depth += 1;
    if (value[at] === '}') depth -= 1;
    part += value[at];
  }
  return [...parts, part];
}

export interface BibName {
  first: string;
  von: string;
  last: string;
  jr: string;
}

/** The names of an author field: "First von Last", "von Last, First" or "von Last, Jr, First". */
export function readNames(value: string): BibName[] {
  return splitOutside(value, /^\s+and\s+/i).map((name) => {
    const parts = splitOutside(name, /^\s*,\s*/).map((part) => splitOutside(part.trim(), /^\s+/));
    if (parts.length > 3) throw new Error(`too many commas in ${name}`);
    const words = parts[0] ?? [];
    const isLower = (word: string) => /^\p{Ll}/u.test(word);
    const inOrder = parts.length === 1;
    const start = inOrder ? words.findIndex(isLower) : 0;
    let lastAt = words.length - 1;
    if (inOrder ? start >= 0 && start < lastAt : isLower(words[0] ?? '')) {
      lastAt = Math.min(
        lastAt,
        words.findLastIndex((w, at) => at < words.length - 1 && isLower(w)) + 1,
      );
    } else if (!inOrder) lastAt = 0;
    const vonAt = inOrder ? (start >= 0 && start < lastAt ? start : lastAt) : 0;
    return {
      first: (inOrder ? words.slice(0, vonAt) : (parts.at(-1) ?? [])).map(printed).join(' '),
      von: words.slice(vonAt, lastAt).map(printed).join(' '),
      last: words.slice(lastAt).map(printed).join(' '),
      jr: parts.length === 3 ? printed((parts[1] ?? []).join(' ')) : '',
    };
  });
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
