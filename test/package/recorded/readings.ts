import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { TextSection } from '../../../src/areas/papers/full-text/sections/sections.ts';
import { codePoints } from '../../../src/core/fields.ts';
import { formulasOfMarkdown } from './formulas.ts';

/** A reading as one text. */
export const wholeOf = (sections: readonly TextSection[]) =>
  sections.map(({ title, content }) => `${title}\n\n${content}`).join('\n\n');

/** Tags and invisible characters, of which none may be left. Code and formulas may contain "<". */
export function expectClean(text: string) {
  const prose = text
    .replace(/^[ >]*(`{3,})[\s\S]*?\n[ >]*\1$/gm, '')
    .replace(/\\[\s\S]|`[^`]*`|(\$+)[\s\S]*?\1/g, '');
  expect(prose).not.toMatch(/<[a-z/!?]/i);
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
  expect(text).not.toMatch(/&(?:#x?[0-9a-f]+|amp|lt|gt|nbsp);/i);
  expect(text).toBe(text.normalize('NFC'));
}

/** What a golden file records of a section: counts and a hash, none of its text. */
export function summarise({ key, type, title, content }: TextSection) {
  const count = (pattern: RegExp) => content.match(pattern)?.length ?? 0;
  const { inline, rows } = formulasOfMarkdown(content);
  return {
    key,
    type,
    title,
    chars: codePoints(content),
    inline: inline.length,
    displayed: count(/^\s*\$\$$/gm) / 2,
    rows: rows.length,
    tables: count(/^\| -/gm),
    notes: count(/^\[\^[^\]]+\]: /gm),
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}
