import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { makeKey, serveForTest } from './serving.ts';
import { makeHome, root, runProcess, success } from './support.ts';

/** The commands between the markers of the README, one an operation. */
function curls(): string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const part = /<!-- http -->\n```sh\n([\s\S]*?)\n```\n<!-- \/http -->/.exec(readme)?.[1];
  if (part === undefined) throw new Error('README.md has no examples of HTTP');
  return part.split(/\n(?=curl )/);
}

const { code } = await runProcess('sh', ['-c', 'curl --version']);

describe.skipIf(code !== 0)('the examples of the README', () => {
  it('call every operation, and are answered', async () => {
    const home = makeHome();
    const key = await makeKey(home, 'notebook');
    const { url } = await serveForTest(home);
    const commands = curls();
    expect(commands).toHaveLength(operations.length);
    for (const [index, command] of commands.entries()) {
      expect(command).toContain('http://127.0.0.1:8787/');
      const here = command.replace('http://127.0.0.1:8787', url);
      const ended = await runProcess('sh', ['-c', here], {
        env: { PATH: process.env.PATH ?? '', KEY: key },
      });
      const answer = success.parse(JSON.parse(ended.stdout));
      expect(answer.meta.creditsUsed, command).toBe(operations[index]?.price);
      expect(JSON.stringify(answer.data).length, command).toBeGreaterThan(10);
    }
  });
});
