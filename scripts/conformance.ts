import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKey, startServing } from '../test/e2e/serving.ts';
import { listen } from '../test/stand-ins/upstream.ts';

/**
 * `npm run conformance`: runs the server scenarios of the MCP conformance suite against /mcp of the build in
 * dist/: those that apply, or those that are named. Says why the others do not apply. Exits 0 only if all
 * that apply have passed and every scenario of the suite is known. Fetches the suite from npm. The suite
 * cannot send an API key, so a small proxy adds one.
 */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const COMMAND = ['-y', '--engine-strict=false', '-p', 'node@22', '-p', SUITE, 'conformance'];
/** The reason for a check that needs a demonstration tool in a scenario that otherwise applies. */
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

/** Why a scenario does not apply; undefined for one that does, or is new. */
function whyNotApplicable(scenario: string): string | undefined {
  if (APPLICABLE.includes(scenario)) return undefined;
  return Object.entries(NOT_APPLICABLE).find(([name]) => scenario.startsWith(name))?.[1];
}

const home = mkdtempSync(join(tmpdir(), 'quantshelf-conformance-'));
const key = await makeKey(home, 'suite');
const serving = await startServing(home);
const target = new URL(serving.url);
const proxy = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const options = { host: target.hostname, port: target.port, method, path };
  incoming.pipe(
    request({ ...options, headers: { ...headers, authorization: `Bearer ${key}` } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }),
  );
});
const url = `${await listen(proxy)}/mcp`;

const all = await listScenarios();
const named = process.argv.slice(2);
const failed: string[] = [];
for (const scenario of named.length > 0 ? named : APPLICABLE) {
  const words = ['--url', url, '--scenario', scenario];
  const { code, said } = await runSuite(['server', ...words], true);
  const errors = said.split('\n').filter((line) => /^\s*Error: /.test(line));
  const isSound = errors.length > 0 && errors.every((line) => NOT_TESTABLE.test(line));
  if (code !== 0 && !isSound && whyNotApplicable(scenario) === undefined) failed.push(scenario);
}
process.stdout.write(`\n${describe(all, failed)}\n`);
const isKnown = (scenario: string) => isApplicable(scenario) || whyNotApplicable(scenario);
process.exitCode = failed.length === 0 && all.length > 0 && all.every(isKnown) ? 0 : 1;
proxy.close();
proxy.closeAllConnections();
await serving.stop();
rmSync(home, { recursive: true });

function isApplicable(scenario: string): boolean {
  return APPLICABLE.includes(scenario);
}

/** The server scenarios that the suite has. */
async function listScenarios(): Promise<string[]> {
  const { said } = await runSuite(['list', '--server'], false);
  return [...said.matchAll(/^ +- ([\w-]+) \[/gm)].map(([, name = '']) => name);
}

/** Reports what does not apply and why, what is unknown, and the results of the rest. */
function describe(scenarios: readonly string[], failures: readonly string[]): string {
  const lines = scenarios.flatMap((scenario) => {
    if (isApplicable(scenario)) return [];
    const reason = whyNotApplicable(scenario);
    return [
      reason === undefined
        ? `unknown: ${scenario}; enter it in scripts/conformance.ts`
        : `does not apply: ${scenario}: ${reason}`,
    ];
  });
  const count = `${scenarios.filter(isApplicable).length} of ${scenarios.length} scenarios apply`;
  const end = failures.length === 0 ? 'none that ran failed' : `failed: ${failures.join(', ')}`;
  return [...lines, `${count}; ${end}.`].join('\n');
}

function runSuite(
  words: readonly string[],
  isShown: boolean,
): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const suite = spawn('npx', [...COMMAND, ...words], { cwd: home, stdio: [...stdio] });
    let said = '';
    suite.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (isShown) process.stdout.write(chunk);
    });
    suite.on('close', (code) => resolve({ code, said }));
  });
}
