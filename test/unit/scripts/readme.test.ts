import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderReadme } from '../../../scripts/readme.ts';

it('lists the tools and commands of the program; `npm run readme` updates it', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(renderReadme(readme)).toBe(readme);
});
