import type { Line } from './lines.ts';

/** The words with hyphens of a document in lower case, used to undo hyphenation. */
export type Compounds = ReadonlySet<string>;

const COMPOUND = /[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)+/gu;

export function collectCompounds(lines: readonly Line[]): Compounds {
  const words = lines.flatMap(({ text }) => text.toLowerCase().match(COMPOUND) ?? []);
  return new Set(words);
}

const STEM = /[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*(?=[-‐]$)/u;
const HEAD = /^[\p{L}\p{M}]+(?:-[\p{L}\p{M}\p{N}]+)*/u;

/** Joins lines, without the hyphens that only split a word at the end of a line. */
export function joinLines(lines: readonly Line[], compounds: Compounds): string {
  // Collected in parts: inspecting the end of a growing string copies it every time.
  const parts: string[] = [];
  for (const { text } of lines) {
    const last = parts.pop();
    if (last === undefined) parts.push(text);
    else parts.push(...joinTwo(last, text, compounds));
  }
  return parts.join('');
}

/** The two lines, ready to be concatenated. */
function joinTwo(above: string, line: string, compounds: Compounds): [string, string] {
  const apart: [string, string] = [`${above} `, line];
  const close: [string, string] = [above, line];
  const last = above.slice(-80);
  if (/https?:\/\/$|(?:https?:\/\/|www\.|doi\.org)\S*[/_=?&#%-]$/i.test(last)) return close;
  // A URL may be split after a dot; after the end of a sentence there would be a capital.
  const isAddress = /(?:https?:\/\/|www\.)\S+\.$/i.test(last);
  if (isAddress && /^[\p{Ll}\d][\w-]*[./]\S/u.test(line)) return close;
  if (/https?:$/i.test(last) && line.startsWith('//')) return close;
  if (/[\p{L}\p{N}][–—]$/u.test(last) && /^[\p{L}\p{N}]/u.test(line)) return close;
  const stem = STEM.exec(last)?.[0].toLowerCase();
  if (stem === undefined) return apart;
  const head = HEAD.exec(line)?.[0];
  if (head === undefined) return /^\p{N}/u.test(line) ? close : apart;
  // "short- and long-term": a suspended hyphen.
  if (/^(?:and|or|und|oder|et|ou)$/.test(head)) return apart;
  return isSplitWord(stem, head, compounds) ? [above.slice(0, -1), line] : close;
}

/** Whether `stem` and `head` are one word, rather than a compound with its own hyphen. */
function isSplitWord(stem: string, head: string, compounds: Compounds): boolean {
  const isCompound = stem.includes('-') || compounds.has(`${stem}-${head.toLowerCase()}`);
  return /^\p{Ll}/u.test(head) && !isCompound && !/\p{N}$/u.test(stem);
}
