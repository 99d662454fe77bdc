import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run conformance`: runs the server scenarios of the MCP conformance suite that apply to
 * read-only tools, resources and prompts against /mcp of the build in dist/. Fetches the suite from npm. The suite cannot
 * send an API key, so a small proxy adds one.
 */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
/**
 * The others need fixed demonstration tools, resources or prompts (also to complete), logging,
 * sampling, elicitation or streams that outlive a request, none of which this server has.
 */
const SCENARIOS = [
  ...['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  ...['server-stateless', 'http-header-validation', 'input-required-result-unsupported-methods'],
  ...['resources-list', 'sep-2164-resource-not-found', 'prompts-list', 'caching'],
];
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

const failed: string[] = [];
for (const scenario of process.argv.length > 2 ? process.argv.slice(2) : SCENARIOS) {
  const suite = ['-p', 'node@22', '-p', SUITE, 'conformance', 'server'];
  const words = ['--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario];
  const { code, said } = await runSuite(['-y', '--engine-strict=false', ...suite, ...words]);
  const errors = said.split('\n').filter((line) => /^\s*Error: /.test(line));
  const isSound = errors.length > 0 && errors.every((line) => NOT_TESTABLE.test(line));
  if (code !== 0 && !isSound) failed.push(scenario);
}
process.stdout.write(failed.length === 0 ? 'all passed\n' : `failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
proxy.close();
proxy.closeAllConnections();
server.once('exit', () => rmSync(home, { recursive: true }));
server.kill('SIGTERM');

function runSuite(words: readonly string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const suite = spawn('npx', words, { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    suite.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      process.stdout.write(chunk);
    });
    suite.on('close', (code) => resolve({ code, said }));
  });
}
