import fc from 'fast-check';

/** What an input is written in; decides which tokens and structures are put into it. */
export type Format = 'xml' | 'json' | 'html' | 'csv' | 'pdf' | 'zip';

/** One change: what is done, and numbers from 0 to 1 that say where and how much. */
interface Step {
  kind: keyof typeof CHANGES;
  at: number;
  size: number;
  pick: number;
  byte: number;
}

/** Inputs stay below a megabyte, the size for which time is bounded. */
export const MAX_BYTES = 1_000_000;

type Token = string | ((index: number) => string);

const MARKUP: readonly Token[] = [
  ...['<a>', '</a>', '<a/>', '<', '>', '&', '&x;', '&#65;', '&#0;', '&amp;', '&nbsp;', '&lt'],
  ...['<!--', '<!-- -->', '<![CDATA[', '<![CDATA[]]>', ']]>', '<?a?>', '<!DOCTYPE a ['],
  ...[
    '<!ENTITY a "b">',
    ' a="1"',
    ' a="',
    'a:',
    '/',
    ' ',
    '\n',
    '\t',
    '\u0000',
    '\ufdfa',
    '\u200b',
  ],
  (index) => ` a${index}="1"`,
  (index) => ` xmlns:a${index}="u"`,
  (index) => `<a${index}>`,
];
const TOKENS: Readonly<Record<Format, readonly Token[]>> = {
  xml: [
    ...MARKUP,
    ...['<record>', '</record>', '<record/>', '<record><a>', '<record>&</record>'],
    ...['<entry>', '</entry>', '<entry/>', '<entry><id>', '<entry>&</entry>', '<resumptionToken/>'],
    ...['<author><name>a</name></author>', '<category term="q-fin.PM"/>', '<link title="pdf"/>'],
    ...['/abs/', '/api/errors#', 'oai:arXiv.org:', 'a. ', '\n  a.', 'withdrawn ', '<Obs '],
    ...['<Series ', 'SERIES_NAME="', '-'],
  ],
  json: [
    ...['[', '{', ']', '}', '{"a":', '[],', '{},', '1,', '"",', '"a",', '0', '9', '1e', '.', '-'],
    ...['\\u0000', '\\"', '"', ' ', '\n', '\ufdfa', '"__proto__":{},', '{"id":"1"},', 'bitcoin '],
    (index) => `"k${index}":1,`,
    (index) => `{"id":"${index + 1}"},`,
  ],
  html: [
    ...MARKUP,
    ...['<div>', '<b>', '<p>', '<a href=x>', '<table>', '<tr>', '<td>', '<li>', '<math>', '<svg>'],
    ...['<span class="ltx_text">', '<section class="ltx_section">', '<h2 class="ltx_title">'],
    ...['<template>', '<select>', '</p>', '</b>', '</div>', '$', '\\', '{', '_', '*', '`', '|'],
  ],
  csv: [
    ',',
    '"',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '9',
    'a',
    '1,',
    '-',
    '01/02/2026,',
    'USA,2026,1,',
    '\u0000',
  ],
  pdf: [
    '[',
    '<<',
    '>>',
    '(',
    ')',
    '\n',
    '0 ',
    '9',
    '/',
    '%',
    ' obj\n',
    'stream\n',
    'endstream',
    'BT ',
  ],
  zip: ['\u0000', '\u00ff', 'PK\u0001\u0002', 'PK\u0005\u0006', 'PK\u0003\u0004'],
};
/** Characters after which a token is likely to mean something. */
const ANCHORS: Readonly<Record<Format, RegExp>> = {
  xml: /[>\s"]/g,
  html: /[>\s"]/g,
  json: /[[{,:"]/g,
  csv: /[\n,"]/g,
  pdf: /[\s<[]/g,
  zip: /P/g,
};

interface Context {
  format: Format;
  /** Another recorded answer. */
  other: string;
  limit: number;
}

type Change = (text: string, step: Step, context: Context) => string;

const CHANGES = {
  overwrite: (text, { at, byte }) => replace(text, place(text, at), 1, String.fromCharCode(byte)),
  remove: (text, { at, size }) => replace(text, place(text, at), lengthOf(text, size), ''),
  truncate: (text, { at }) => text.slice(0, place(text, at)),
  splice: (text, { at, pick }, { other }) =>
    text.slice(0, place(text, at)) + other.slice(place(other, pick)),
  repeat: (text, { at, size, pick }, { limit }) => {
    const start = place(text, at);
    const part = text.slice(start, start + lengthOf(text, pick * pick * 0.1));
    return fill(text, start, { size, limit }, () => part);
  },
  insert: (text, { at, size, pick }, { format, limit }) => {
    const token = TOKENS[format][place(TOKENS[format], pick)] ?? '';
    return fill(text, anchor(text, at, ANCHORS[format]), { size, limit }, (index) =>
      typeof token === 'string' ? token : token(index),
    );
  },
  repeatElement: (text, { at, size }, { format, limit }) => {
    if (format !== 'xml' && format !== 'html') return text;
    const start = text.indexOf('<', place(text, at));
    const name = /^<([\w:-]+)/.exec(text.slice(start, start + 60))?.[1];
    if (start < 0 || name === undefined) return text;
    const end = text.indexOf(`</${name}>`, start);
    const part = text.slice(start, end < 0 ? text.indexOf('>', start) + 1 : end + name.length + 3);
    return fill(text, start, { size, limit }, () => part);
  },
  changeValue: (text, step, { format }) => (format === 'json' ? changeJson(text, step) : text),
} as const satisfies Record<string, Change>;

/** Evenly spread; doubles of fast-check are spread over their bits, so that most are close to 0. */
const ratio = fc.noBias(fc.nat(2 ** 30 - 1)).map((number) => number / 2 ** 30);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...(Object.keys(CHANGES) as (keyof typeof CHANGES)[]),
    // The changes that make large inputs which are still read far are tried more often.
    ...(['insert', 'insert', 'changeValue', 'changeValue', 'repeatElement'] as const),
  ),
  at: ratio,
  size: ratio,
  pick: ratio,
  byte: fc.nat(255),
});
export const mutation = fc.record({
  seed: ratio,
  other: ratio,
  status: ratio,
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});
export type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** A mutated copy of one of the recorded answers. */
export function mutate(
  seeds: readonly Buffer[],
  { seed, other, steps }: Mutation,
  format: Format,
  maxBytes = MAX_BYTES,
): Buffer {
  // Bytes and UTF-16 units are one for one, so that no change breaks what it does not touch.
  const textOf = (at: number) => (seeds[place(seeds, at)] ?? Buffer.alloc(0)).toString('latin1');
  const context = { format, other: textOf(other), limit: maxBytes };
  let text = textOf(seed);
  for (const each of steps) {
    const change: Change = CHANGES[each.kind];
    text = change(text, each, context).slice(0, maxBytes);
  }
  return Buffer.from(text, 'latin1');
}

function place({ length }: { length: number }, at: number): number {
  return Math.floor(at * length);
}

function lengthOf({ length }: string, size: number): number {
  return 1 + Math.floor(size * length);
}

function replace(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}

function anchor(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = place(text, at);
  return (pattern.exec(text)?.index ?? text.length - 1) + 1;
}

/** Inserts parts until the text is as long as `size` says; half of the time up to the limit. */
function fill(
  text: string,
  at: number,
  { size, limit }: { size: number; limit: number },
  part: (index: number) => string,
): string {
  const room = limit - text.length;
  const wanted = size > 0.5 ? room : room * (2 * size) ** 4;
  return replace(text, at, 0, many(wanted, part));
}

function many(bytes: number, part: (index: number) => string): string {
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index += 1) {
    const next = Buffer.from(part(index)).toString('latin1');
    if (next === '') break;
    parts.push(next);
    length += next.length;
  }
  return parts.join('');
}

/** Replaces one value of a JSON document, or puts many copies of it in its place. */
function changeJson(text: string, { at, size, pick, byte }: Step): string {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return text;
  }
  const holders: { list: Record<string, unknown> | unknown[]; key: string }[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || holders.length > 20_000) return;
    const list = Array.isArray(value) ? value : Object(value);
    for (const key of Object.keys(value)) {
      holders.push({ list, key });
      visit(list[key]);
    }
  };
  visit(root);
  // Values near the root are few and matter most.
  const holder = holders[Math.floor(at ** 3 * holders.length)];
  if (holder === undefined) return text;
  const mark = '\u0001mark\u0001';
  const before = Reflect.get(holder.list, holder.key);
  Reflect.set(holder.list, holder.key, mark);
  const frame = JSON.stringify(root);
  const room = size > 0.4 ? Math.max(0, MAX_BYTES - frame.length) : 1_000 * size;
  const values = [
    () => '['.repeat(room / 2) + ']'.repeat(room / 2),
    () => `${'{"a":'.repeat(room / 6)}1${'}'.repeat(room / 6)}`,
    () => JSON.stringify(String.fromCharCode(32 + (byte % 95)).repeat(room)),
    () => `"${'9'.repeat(room)}x"`,
    () => `"${' '.repeat(room)}x"`,
    () => `"${many(room, () => '\ufdfa')}"`,
    () => `"${many(room, () => 'bitcoin 2026-01-01 ')}"`,
    () => `[${many(room, () => '{},')}1]`,
    () => `[${many(room, () => '"a",')}1]`,
    () => `[${many(room, (index) => `{"id":"${index + 1}","slug":"a${index}"},`)}1]`,
    () => `[${many(room, (index) => `{"id":"${index + 1}"},`)}{"id":"1"}]`,
    () => `{${many(room, (index) => `"k${index}":1,`)}"z":1}`,
    () => `[${many(room, () => `${JSON.stringify(before)},`)}${JSON.stringify(before)}]`,
    () => (Array.isArray(before) && before.length > 0 ? grow(before, room) : 'null'),
    () => (Array.isArray(before) && before.length > 0 ? grow(before, room) : '1e999'),
    () => ['null', 'true', '-0', '1e308', '""', '{}', '[]', '{"__proto__":1}'][byte % 8] ?? '0',
  ];
  const made = values[place(values, pick)]?.() ?? 'null';
  return frame.replace(JSON.stringify(mark), () => Buffer.from(made).toString('latin1'));
}

function grow(items: readonly unknown[], room: number): string {
  const texts = items.map((item) => JSON.stringify(item));
  return `[${many(room, (index) => `${texts[index % texts.length]},`)}${texts[0]}]`;
}
