import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { helpText } from '../src/commands/help.ts';
import type { Operation } from '../src/core/operation.ts';
import { operations } from '../src/operations.ts';

/**
 * `npm run readme`: writes the parts of README.md that the program itself knows, between their
 * markers. A test compares, so the two cannot drift apart.
 */
export function renderReadme(readme: string): string {
  return [
    ['tools', toolTable(operations)],
    ['help', `\`\`\`text\n${helpText(operations)}\n\`\`\``],
  ].reduce((text, [name = '', part = '']) => replacePart(text, name, part), readme);
}

function replacePart(text: string, name: string, part: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`README.md has no part "${name}"`);
  return `${text.slice(0, start + open.length)}\n${part}\n${text.slice(end)}`;
}

function toolTable(table: readonly Operation[]): string {
  const rows = table.map(({ name, title, price, input }) => {
    const names = Object.keys(input.shape).map((argument) => `\`${argument}\``);
    return `| \`${name}\` | ${title} | ${names.join(', ')} | ${price} |`;
  });
  return ['| tool | what it does | arguments | credits |', '|---|---|---|---|', ...rows].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL('../README.md', import.meta.url));
  writeFileSync(path, renderReadme(readFileSync(path, 'utf8')));
}
