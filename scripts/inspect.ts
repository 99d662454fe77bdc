import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import * as z from 'zod';
import { operations } from '../src/operations.ts';
import { makeKey, startServing } from '../test/e2e/serving.ts';
import { bin, environment, node } from '../test/e2e/support.ts';

/*
 * `npm run inspect`: calls the build through the MCP Inspector's command line, over stdio and HTTP, on a home
 * of its own without network or model. Prints a line for each case. Exits with 1 if a result is not as
 * expected, does not fit its tool's schema, or differs between stdio and HTTP.
 */

/** One run of the inspector: its options, the expected result, and its exit code if not 0. */
type Case = readonly [name: string, options: readonly string[], holds: RegExp, exitCode?: number];

const call = (tool: string, input: object) => [
  ...['--method', 'tools/call', '--tool-name', tool],
  ...['--tool-args-json', JSON.stringify(input)],
];
const read = (uri: string) => ['--method', 'resources/read', '--uri', uri];
/** Exit code of the inspector if a tool reports an error. */
const TOOL_ERROR = 5;
const NOBODY = '00000000-0000-5000-8000-000000000000';

/** Every tool has a case, made from its example. */
const CASES: readonly Case[] = [
  ['tools/list --strict', ['--method', 'tools/list', '--strict'], /"outputSchema":/],
  ...operations.map(({ name, example }): Case => [name, call(name, example), /"creditsUsed":/]),
  [
    'paper_read of an unknown paper',
    call('paper_read', { paperCardId: NOBODY }),
    /"code":"not_found"/,
    TOOL_ERROR,
  ],
  ['resources/list', ['--method', 'resources/list'], /"uri":"quantshelf:/],
  ['resources/templates/list', ['--method', 'resources/templates/list'], /"uriTemplate":.*\{id\}/],
  ['resources/read', read('quantshelf://indicator/us.cpi.headline'), /CPIAUCSL/],
  ['resources/read of a view', read('ui://quantshelf/view.html'), /"<!doctype html>/],
  ['prompts/list', ['--method', 'prompts/list'], /"name":"macro_briefing"/],
  [
    'prompts/get',
    ['--method', 'prompts/get', '--prompt-name', 'macro_briefing', '--prompt-args', 'topic=Rates'],
    /macro_indicator_search/,
  ],
];

const home = mkdtempSync(join(tmpdir(), 'quantshelf-inspect-'));
const NO_MODEL = { QUANTSHELF_MODEL_DIR: join(home, 'no-model') };
// The inspector keeps files of its own in the user's home directory.
Object.assign(process.env, { HOME: home, USERPROFILE: home });

const record = z.record(z.string(), z.unknown());
type Json = z.output<typeof record>;
interface CliResult {
  result: Json;
  exitCode: number;
  /** The inspector's other output, such as the findings of `--strict`. */
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

async function inspect(target: readonly string[], options: readonly string[]): Promise<CliResult> {
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
    // The inspector also throws if a tool reports an error, but still writes its result.
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

/** The fault of a run; undefined if there is none. */
function faultOf([, options, holds, expected = 0]: Case, called: CliResult): string | undefined {
  const { result, exitCode, remarks } = called;
  if (exitCode !== expected) return `exit code ${exitCode}. ${remarks}`;
  if (/[1-9]\d* warning/.test(remarks)) return remarks;
  const text = JSON.stringify(result);
  if (!holds.test(text)) return `${holds} is not in ${text.slice(0, 500)}`;
  for (const { name, outputSchema } of toolList.safeParse(result).data?.tools ?? []) {
    schemas.set(name, outputSchema);
  }
  const schema = schemas.get(options[options.indexOf('--tool-name') + 1] ?? '');
  const fit = schema && validator.getValidator(schema)(result.structuredContent);
  return fit?.valid === false ? `misfits its outputSchema: ${fit.errorMessage}` : undefined;
}

/** The part that must be the same over both transports: all but the request id and the balance. */
function comparable({ structuredContent, ...rest }: Json): string {
  const isOwn = (name: string) => name === 'requestId' || name === 'remainingCredits';
  return JSON.stringify(structuredContent ?? rest, (name, value: unknown) =>
    isOwn(name) ? undefined : value,
  );
}

const key = await makeKey(home, 'inspector');
const serving = await startServing(home, { env: NO_MODEL });
try {
  const settings = Object.entries(environment(home, NO_MODEL)).filter(([name]) =>
    name.startsWith('QUANTSHELF_'),
  );
  const variables = settings.flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const http = [`${serving.url}/mcp`, '--header', `Authorization: Bearer ${key}`];
  for (const each of CASES) {
    const local = await inspect([...variables, node, bin], each[1]);
    const remote = await inspect(http, each[1]);
    const isSame = comparable(local.result) === comparable(remote.result);
    const fault =
      faultOf(each, local) ??
      faultOf(each, remote) ??
      (isSame ? undefined : 'stdio and HTTP differ');
    const note = fault ?? (local.exitCode === 0 ? local.remarks.trim().split('\n').at(-1) : '');
    process.stdout.write(
      `${fault === undefined ? 'ok  ' : 'FAIL'} ${each[0]}${note && `: ${note}`}\n`,
    );
    if (fault !== undefined) process.exitCode = 1;
  }
} finally {
  await serving.stop();
  rmSync(home, { recursive: true, force: true });
}
