import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CASES } from '../../scripts/inspect/cases.ts';
import { bin, node, root, runProcess } from './support.ts';

it('answers the MCP Inspector as expected, over stdio as over HTTP', async () => {
  const words = ['--import', 'tsx', join(root, 'scripts', 'inspect.ts'), node, bin];
  const { code, stdout, stderr } = await runProcess(process.execPath, words);
  expect(code, `${stdout}${stderr}`).toBe(0);
  expect(stdout.match(/^ok {3}\S/gm)).toHaveLength(CASES.length);
});
