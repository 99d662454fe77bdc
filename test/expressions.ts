import { parseAst } from 'vitest/node';
import { readCode } from './imports.ts';

/** Regular expressions that may take quadratic time because they read only short texts, by those texts. */
export const SHORT: Readonly<Record<string, readonly string[]>> = {
  'a question of 2,000 characters': [
    '(?<=[.?!])\\s+|[:;]\\s+|\\s+[-–—]+\\s+|—|["“”«»\\n]+',
    '[.?!]+$',
  ],
  'an id of 200 characters': ['\\?.*$'],
  'a name of 200 characters': [
    '^([^,]+), *(.+)$',
    '^(.+?)(?:,\\s*|(?<=\\s\\S+)\\s+(?=(?:jr|sr|ii|iii|iv|2nd|3rd)\\.?$))((?:jr|sr|[ivx]{1,4}|\\d(?:nd|rd|th)|esq|ph\\.?d|m\\.?d)\\.?)$',
  ],
  'a DOI of 290 characters': ['[.:]+$'],
  'a title or a list of authors of 1,000 characters': [
    '\\s*(?:;|,(?! *(?:jr|sr))|\\band\\b|&)\\s*',
    '\\s*[*†‡∗⋆]+$',
    '\\s*[,;&·|]\\s*|\\s+(?:and|AND)\\s+',
    '^(?:and|by)\\s+|\\s*\\d[\\d\\s,]*$',
  ],
  'the last 80 characters of a line': [
    '(?:\\.\\s?){5,}\\s*(?:\\d{1,4}|[ivxl]{1,7})$',
    '[\\p{L}\\p{M}\\p{N}]+(?:-[\\p{L}\\p{M}\\p{N}]+)*(?=[-‐]$)',
  ],
};

/** The regular expressions in a source file, in order. */
export function expressionsIn(text: string): RegExp[] {
  const expressions: RegExp[] = [];
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if ('regex' in node && 'value' in node && node.value instanceof RegExp) {
      expressions.push(node.value);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return expressions;
}

/** The files that read papers and questions. */
export const readers = ['src/areas/papers', 'src/search', 'src/core'].flatMap(readCode);
