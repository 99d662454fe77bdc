import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderReadme } from '../../../scripts/readme.ts';

it('tells the tools and commands as the program has them; `npm run readme` renews it', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(renderReadme(readme)).toBe(readme);
});
