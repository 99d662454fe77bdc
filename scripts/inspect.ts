import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import * as z from 'zod';
import { CASES, type InspectorCase } from './inspect/cases.ts';

/*
 * `npm run inspect`: asks the build through the command line of the MCP Inspector, over stdio and HTTP, on a home of
 * its own without network or model. Prints a line for each case and exits 1 if a result is not as expected, does not
 * fit its tool's schema, or differs between the two. Arguments: another Node and program than this one and the build.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const [node = process.execPath, bin = join(root, 'bin', 'quantshelf.js')] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'quantshelf-inspect-'));
const settings = {
  QUANTSHELF_HOME: home,
  QUANTSHELF_OFFLINE: '1',
  QUANTSHELF_MODEL_DIR: join(home, 'no-model'),
};
const env = { ...process.env, ...settings };
// The inspector keeps files of its own in the user's home directory.
Object.assign(process.env, { HOME: home, USERPROFILE: home });

const record = z.record(z.string(), z.unknown());
type Json = z.output<typeof record>;
interface Run {
  result: Json;
  exitCode: number;
  /** What the inspector says beside the result, such as the findings of `--strict`. */
  remarks: string;
}

/** The module behind `mcp-inspector --cli`: loading it once saves a process for each run. */
const cli = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector/clients/cli/build/index.js',
);
const { runCli } = z
  .object({
    runCli: z.custom<(argv: string[]) => Promise<void>>((value) => typeof value === 'function'),
  })
  .parse(await import(pathToFileURL(cli).href));

async function inspect(target: readonly string[], options: readonly string[]): Promise<Run> {
  const path = join(home, 'result.json');
  rmSync(path, { force: true });
  let exitCode = 0;
  let remarks = '';
  const write = process.stderr.write;
  process.stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    remarks += chunk;
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  try {
    await runCli(['node', cli, ...target, ...options, '--quiet', '--output', path]);
  } catch (error) {
    // Thrown also where a tool reports an error; its result is written all the same.
    exitCode = z.object({ exitCode: z.number() }).safeParse(error).data?.exitCode ?? 1;
    remarks += error;
  } finally {
    process.stderr.write = write;
  }
  const written = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  return { result: record.parse(JSON.parse(written)), exitCode, remarks };
}

const toolList = z.object({
  tools: z.array(z.object({ name: z.string(), outputSchema: record })),
});
const schemas = new Map<string, Json>();
const validator = new AjvJsonSchemaValidator();

/** What is wrong with a run; undefined if nothing is. */
function faultOf(each: InspectorCase, { result, exitCode, remarks }: Run): string | undefined {
  if (exitCode !== (each.exitCode ?? 0)) return `exit code ${exitCode}. ${remarks}`;
  const read = each.expected.safeParse(result);
  if (!read.success) return z.prettifyError(read.error);
  for (const { name, outputSchema } of toolList.safeParse(result).data?.tools ?? []) {
    schemas.set(name, outputSchema);
  }
  const schema = schemas.get(each.options[each.options.indexOf('--tool-name') + 1] ?? '');
  const fit = schema && validator.getValidator(schema)(result.structuredContent);
  return fit?.valid === false ? `misfits its outputSchema: ${fit.errorMessage}` : undefined;
}

/** What must be the same over both transports: all but the id of the call and the balance. */
function comparable({ structuredContent, ...rest }: Json): string {
  const isOwn = (name: string) => name === 'requestId' || name === 'remainingCredits';
  return JSON.stringify(structuredContent ?? rest, (name, value: unknown) =>
    isOwn(name) ? undefined : value,
  );
}

function makeKey(): string {
  const words = [bin, 'keys', 'create', 'inspector'];
  const { status, stdout, stderr } = spawnSync(node, words, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** The address of a server that has just been started. */
function addressOf(server: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const url = /^listening on (\S+)$/m.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    server.on('exit', () => reject(new Error(said)));
  });
}

const key = makeKey();
const server = spawn(node, [bin, 'serve', '--port', '0', '--rate', '100000'], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
});
try {
  const variables = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const stdio = [...variables, node, bin];
  const http = [`${await addressOf(server)}/mcp`, '--header', `Authorization: Bearer ${key}`];
  for (const each of CASES) {
    const local = await inspect(stdio, each.options);
    const remote = await inspect(http, each.options);
    const isSame = comparable(local.result) === comparable(remote.result);
    const fault =
      faultOf(each, local) ??
      faultOf(each, remote) ??
      (isSame ? undefined : 'stdio and HTTP differ');
    const note = fault ?? (local.exitCode === 0 ? local.remarks.trim().split('\n').at(-1) : '');
    process.stdout.write(
      `${fault === undefined ? 'ok  ' : 'FAIL'} ${each.name}${note && `: ${note}`}\n`,
    );
    if (fault !== undefined) process.exitCode = 1;
  }
} finally {
  server.kill();
  rmSync(home, { recursive: true, force: true });
}
