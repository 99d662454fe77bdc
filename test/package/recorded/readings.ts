import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { TextSection } from '../../../src/areas/papers/full-text/sections/sections.ts';
import { codePoints } from '../../../src/core/fields.ts';

/** Expects no tags and no invisible characters. Code and formulas may contain "<". */
export function expectClean(text: string) {
  const prose = text
    .replace(/^[ >]*(`{3,})[\s\S]*?\n[ >]*\1$/gm, '')
    .replace(/\\[\s\S]|`[^`]*`|(\$+)[\s\S]*?\1/g, '');
  expect(prose).not.toMatch(/<[a-z/!?]/i);
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
  expect(text).not.toMatch(/&(?:#x?[0-9a-f]+|amp|lt|gt|nbsp);/i);
  expect(text).toBe(text.normalize('NFC'));
}

/** A golden file's record of a section: its length and a hash, but no text. */
export function outlineOf(sections: readonly TextSection[]): string[] {
  return sections.map(({ key, type, title, content }) => {
    return [key, type, title, codePoints(content), hashOf(content)].join(' | ');
  });
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
