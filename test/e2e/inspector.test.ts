import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { root, runProcess } from './support.ts';

it('the program gives the MCP Inspector the same replies over stdio and HTTP', async () => {
  const words = ['--import', 'tsx', join(root, 'scripts', 'inspect.ts')];
  const { code, stdout, stderr } = await runProcess(process.execPath, words);
  expect(code, `${stdout}${stderr}`).toBe(0);
  for (const { name } of operations) expect(stdout).toMatch(new RegExp(`^ok {3}${name}\\b`, 'm'));
});
