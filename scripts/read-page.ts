import { readFileSync } from 'node:fs';
import { readPage } from '../src/areas/papers/full-text/html/html.ts';
import { codePoints } from '../src/core/fields.ts';

/** Prints the sections of a saved page: `tsx scripts/read-page.ts <file.html>`. */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: tsx scripts/read-page.ts <file.html>');
const page = readPage(readFileSync(file, 'utf8'));
if (typeof page === 'string') throw new Error(page);
const { sections, words, unknown } = page;
const lines = sections.flatMap(({ key, type, title, content }) => [
  `===== ${key} | ${type} | ${title} | ${codePoints(content)}`,
  '',
  content,
  '',
]);
lines.push(`===== ${words} words, ${unknown.size} unknown commands`, '');
process.stdout.write(lines.join('\n'));
