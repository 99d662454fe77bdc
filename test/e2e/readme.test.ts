import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operations } from '../../src/operations.ts';
import { makeKey, serveForTest } from './serving.ts';
import { makeHome, quantshelf, root, runProcess, success } from './support.ts';

/** The content of the only code block in a marked part of a page. */
function partOf(page: string, name: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const part = new RegExp(`<!-- ${name} -->\\n\`{3}\\w+\\n([^]*?)\\n\`{3}\\n<!-- /${name} -->`);
  const match = part.exec(text)?.[1];
  if (match === undefined) throw new Error(`${page} has no part "${name}"`);
  return match;
}

/** One curl command for each operation. */
const curls = () => partOf('docs/http.md', 'http').split(/\n(?=curl )/);

const { code } = await runProcess('sh', ['-c', 'curl --version']);

it.skipIf(code !== 0)(
  'the examples in docs/http.md call every operation successfully',
  async () => {
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
      const reply = success.parse(JSON.parse(ended.stdout));
      expect(reply.meta.creditsUsed, command).toBe(operations[index]?.price);
      expect(JSON.stringify(reply.data).length, command).toBeGreaterThan(10);
    }
  },
);

/** The value at a path such as `data.0.title`. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), value);
}

it("the program's replies contain the values shown in the README", async () => {
  const home = makeHome();
  const exchanges = partOf('README.md', 'exchange').split('\n\n');
  expect(exchanges.length).toBeGreaterThan(1);
  for (const [command = '', ...lines] of exchanges.map((text) => text.split('\n'))) {
    const [, operation = '', input = ''] =
      /^\$ npx -y quantshelf call (\w+) '(.*)'$/.exec(command) ?? [];
    const { stdout } = await quantshelf(['call', operation, input], home);
    const reply = success.parse(JSON.parse(stdout));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [, path = '', told = ''] = /^(\S+) +(.*)$/.exec(line) ?? [];
      const stored = String(at(reply, path));
      // A line that ends in "…" shows only a part.
      if (told.endsWith('…')) expect(stored, path).toContain(told.slice(0, -1).trimEnd());
      else expect(stored, path).toBe(told);
    }
  }
});
