import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { APPLICABLE, whyNotApplicable } from './conformance/scenarios.ts';

/**
 * `npm run conformance`: runs the server scenarios of the MCP conformance suite against /mcp of the build
 * in dist/: those that apply, or those that are named. Says of the others why they do not. Exits 0 only
 * when all that apply have passed and each scenario of the suite is known. Fetches the suite from npm.
 * The suite cannot send an API key, so a small proxy adds one.
 */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const COMMAND = ['-y', '--engine-strict=false', '-p', 'node@22', '-p', SUITE, 'conformance'];
/** The reason of a check that wants a demonstration tool inside a scenario that otherwise applies. */
const NOT_TESTABLE = /^\s*Error: Not testable: /;

const bin = fileURLToPath(new URL('../bin/quantshelf.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'quantshelf-conformance-'));
const env = { ...process.env, QUANTSHELF_HOME: home, QUANTSHELF_OFFLINE: '1' };

const made = spawnSync(process.execPath, [bin, 'keys', 'create', 'suite', '--json'], { env });
const { key }: { key: string } = JSON.parse(made.stdout.toString());
const server = spawn(process.execPath, [bin, 'serve', '--port', '0', '--rate', '100000'], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
});
const target = new URL(
  await new Promise<string>((resolve) => {
    let output = '';
    server.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /^listening on (\S+)$/m.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  }),
);
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
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const address = proxy.address();
const port = typeof address === 'object' ? address?.port : undefined;

const all = await listScenarios();
const named = process.argv.slice(2);
const failed: string[] = [];
for (const scenario of named.length > 0 ? named : APPLICABLE) {
  const words = ['--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario];
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
server.once('exit', () => rmSync(home, { recursive: true }));
server.kill('SIGTERM');

function isApplicable(scenario: string): boolean {
  return APPLICABLE.includes(scenario);
}

/** The server scenarios that the suite has. */
async function listScenarios(): Promise<string[]> {
  const { said } = await runSuite(['list', '--server'], false);
  return [...said.matchAll(/^ +- ([\w-]+) \[/gm)].map(([, name = '']) => name);
}

/** What does not apply and why, what nobody has looked at, and what came of the rest. */
function describe(scenarios: readonly string[], failures: readonly string[]): string {
  const lines = scenarios.flatMap((scenario) => {
    if (isApplicable(scenario)) return [];
    const reason = whyNotApplicable(scenario);
    return [
      reason === undefined
        ? `unknown: ${scenario}; enter it in scripts/conformance/scenarios.ts`
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
