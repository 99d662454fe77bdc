import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { bin, environment, makeHome, node, runProcess } from './support.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
/** How long the registry may take before the test gives it up, in milliseconds. */
const FETCH_MS = 90_000;
const TRIES = 2;

/** The inspector asks for a newer Node than we do, which a user's npm may be set to refuse. */
function npx(...words: string[]) {
  const place = makeHome();
  const env = environment(place, { npm_config_engine_strict: 'false' });
  return runProcess('npx', ['-y', ...words], { cwd: place, env, timeoutMs: FETCH_MS / TRIES });
}

/** The inspector comes from the registry: without it there is nothing to test with. */
async function isInspectorHere(): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const ended = await npx('--package', INSPECTOR, '--', 'node', '--version');
    if (ended.code === 0) return true;
  }
  return false;
}

describe("the inspector's command line", () => {
  let here = false;
  beforeAll(async () => {
    here = await isInspectorHere();
  }, FETCH_MS + 10_000);

  // It hands few variables on by itself: without this the server would open the user's own shelf.
  const inspect = (...words: string[]) =>
    npx(INSPECTOR, '--cli', '-e', `QUANTSHELF_HOME=${makeHome()}`, node, bin, ...words);

  it('lists the tools', async (test) => {
    if (!here) test.skip('the inspector cannot be had from the registry');
    const { code, stdout, stderr } = await inspect('--method', 'tools/list');
    expect(code, stderr).toBe(0);
    const { tools } = z
      .object({ tools: z.array(z.object({ name: z.string() })) })
      .parse(JSON.parse(stdout));
    expect(tools.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  });

  it('calls a tool', async (test) => {
    if (!here) test.skip('the inspector cannot be had from the registry');
    const { code, stdout, stderr } = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'macro_indicator_search'],
      ...['--tool-arg', 'q=treasury', '--tool-arg', 'limit=2'],
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      structuredContent: { data: [expect.anything(), expect.anything()] },
    });
  });
});
