import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKey, startServing } from '../test/e2e/serving.ts';
import { runProcess } from '../test/e2e/support.ts';
import { listen } from '../test/stand-ins/upstream.ts';

/**
 * `npm run conformance`: runs the server scenarios of the MCP conformance suite, which it fetches from npm,
 * against /mcp of the build in dist/: those that apply, or those that you name. Says why the others do not
 * apply. Exits with 0 only if all that apply pass and it knows every scenario of the suite. The suite cannot
 * send an API key, so a small proxy adds one.
 */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const COMMAND = ['-y', '--engine-strict=false', '-p', 'node@22', '-p', SUITE, 'conformance'];
/** What the suite prints for a single check that needs a demonstration tool. */
const NOT_TESTABLE = /^\s*Error: Not testable: /;

/** Scenarios of the suite that apply to this server; all must pass. */
const APPLICABLE: readonly string[] = [
  ...['server-initialize', 'server-session-lifecycle', 'server-stateless', 'ping'],
  ...['tools-list', 'resources-list', 'sep-2164-resource-not-found', 'prompts-list', 'caching'],
  ...['dns-rebinding-protection', 'http-header-validation', 'server-sse-multiple-streams'],
  'input-required-result-unsupported-methods',
];

/** Why the others do not apply, by name prefix. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'tools-call-': 'calls demonstration tools, such as test_simple_text',
  'json-schema-2020-12': 'wants the demonstration tool json_schema_2020_12_tool',
  'http-custom-header-server-validation': 'wants a tool whose arguments are sent as headers',
  'resources-read-': 'reads demonstration resources, such as test://static-text',
  'resources-templates-read': 'reads a demonstration resource',
  'resources-subscribe': 'no resource changes in a way that is announced, so none is subscribed to',
  'resources-unsubscribe': 'no resource is subscribed to',
  'prompts-get-': 'gets demonstration prompts, such as test_simple_prompt',
  'completion-complete':
    'completes an argument of the demonstration prompt test_prompt_with_arguments; test/e2e/resources.test.ts completes ours',
  'logging-set-level': 'no log is sent to the client',
  'elicitation-': 'asks nothing of the user',
  'input-required-result-': 'asks nothing of the user',
  'server-sse-polling': 'no stream outlives its request',
  'sep-2640-skills-': 'an extension that is not announced',
  'tasks-': 'an extension that is not announced',
};

const home = mkdtempSync(join(tmpdir(), 'quantshelf-conformance-'));
const key = await makeKey(home, 'suite');
const serving = await startServing(home);
const target = new URL(serving.url);
const proxy = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const options = { host: target.hostname, port: target.port, method, path };
  incoming.pipe(
    request({ ...options, headers: { ...headers, authorization: `Bearer ${key}` } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    }),
  );
});
const url = `${await listen(proxy)}/mcp`;

const { stdout: list } = await runSuite('list', '--server');
const all = [...list.matchAll(/^ +- ([\w-]+) \[/gm)].map(([, name = '']) => name);
const names = process.argv.slice(2);
const failed: string[] = [];
for (const scenario of names.length > 0 ? names : APPLICABLE) {
  const { code, stdout } = await runSuite('server', '--url', url, '--scenario', scenario);
  process.stdout.write(stdout);
  const errors = stdout.split('\n').filter((line) => /^\s*Error: /.test(line));
  const isSound = errors.length > 0 && errors.every((line) => NOT_TESTABLE.test(line));
  if (code !== 0 && !isSound && reasonAgainst(scenario) === undefined) failed.push(scenario);
}
const others = all.filter((scenario) => !APPLICABLE.includes(scenario));
const unknown = others.filter((scenario) => reasonAgainst(scenario) === undefined);
const lines = [
  '',
  ...others.map((scenario) =>
    unknown.includes(scenario)
      ? `unknown: ${scenario}; enter it in scripts/conformance.ts`
      : `does not apply: ${scenario}: ${reasonAgainst(scenario)}`,
  ),
  `${all.length - others.length} of ${all.length} scenarios apply.`,
  failed.length === 0 ? 'None that ran failed.' : `Failed: ${failed.join(', ')}.`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = failed.length + unknown.length === 0 && all.length > 0 ? 0 : 1;
proxy.close();
proxy.closeAllConnections();
await serving.stop();
rmSync(home, { recursive: true });

/** Why a scenario does not apply; undefined if it does, or is new. */
function reasonAgainst(scenario: string): string | undefined {
  if (APPLICABLE.includes(scenario)) return undefined;
  return Object.entries(NOT_APPLICABLE).find(([prefix]) => scenario.startsWith(prefix))?.[1];
}

function runSuite(...words: readonly string[]) {
  return runProcess('npx', [...COMMAND, ...words], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
