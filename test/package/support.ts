import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { create } from 'tar';
import { expect } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/operations.ts';
import { type Env, environment, makeHome, root, runProcess, success } from '../e2e/support.ts';
import { onceInRun } from '../once.ts';
import { installPrograms, type Programs } from './programs.ts';

/** Time limit of an install in ms: compiling better-sqlite3 12 takes a minute or more on two cores. */
export const INSTALL_MS = 900_000;
const REACH_MS = 60_000;
const TRIES = 2;
export const NO_REGISTRY = 'the registry, or this Node there, cannot be reached';

const manifestSchema = z.object({ version: z.string() });
const tarballSchema = z.object({
  filename: z.string(),
  size: z.number(),
  unpackedSize: z.number(),
  files: z.array(z.object({ path: z.string(), size: z.number() })),
});
const packedSchema = tarballSchema.extend({ file: z.string() });
/** npm's report on a tarball, and its path. */
export type Packed = z.output<typeof packedSchema>;

/** The environment of a user's shell, without settings of the npm that runs these tests. */
export function shell(extra: Env = {}): Record<string, string> {
  const ofOurs =
    /^npm_(package|lifecycle|config_(engine|save|local|allow|ignore|registry|prefix))/i;
  const entries = Object.entries(environment(makeHome()));
  return { ...Object.fromEntries(entries.filter(([name]) => !ofOurs.test(name))), ...extra };
}

/** Packs the existing build once per run: the prepare script would rebuild it while other tests use it. */
export async function pack(): Promise<Packed> {
  const said = await onceInRun('packed', async (place) => {
    mkdirSync(place);
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
    const { code, stdout, stderr } = await runProcess('npm', words, { env: shell() });
    if (code !== 0) throw new Error(stderr);
    const [tarball] = z.tuple([tarballSchema]).parse(JSON.parse(stdout));
    return JSON.stringify({ ...tarball, file: join(place, tarball.filename) });
  });
  return packedSchema.parse(JSON.parse(said));
}

/** The binding of better-sqlite3 12 that `npm ci` downloaded or compiled. */
const BINDING = join('build', 'Release', 'better_sqlite3.node');

/**
 * Copies the local binary of better-sqlite3 12 into `place`, laid out as on its release page, and returns the
 * npm setting that makes its install script use it. With LONG_TESTS=1, or without a local binary, returns no
 * setting, and the install script downloads or compiles.
 */
export async function keepBinary(place: string): Promise<Env> {
  const cwd = join(root, 'node_modules', 'better-sqlite3-node20');
  if (process.env.LONG_TESTS === '1' || !existsSync(join(cwd, BINDING))) return {};
  const { version } = manifestSchema.parse(
    JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')),
  );
  const { platform, arch, versions } = process;
  const name = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`;
  await create({ file: join(place, name), cwd, gzip: true, portable: true }, [BINDING]);
  return { npm_config_better_sqlite3_local_prebuilds: place };
}

/** The npm registry that the user running the tests has configured, or null if it cannot be reached. */
export async function findRegistry(): Promise<string | null> {
  const found = await onceInRun('registry', async () => {
    const config = await runProcess('npm', ['config', 'get', 'registry'], {});
    const registry = config.stdout.trim();
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const words = ['view', 'better-sqlite3', 'version', '--registry', registry];
      const ended = await runProcess('npm', words, { env: shell(), timeout: REACH_MS / TRIES });
      if (ended.code === 0) return registry;
    }
    return '';
  });
  return found === '' ? null : found;
}

/** A directory with `node`, `npm` and `npx`, installed once per run; null if that Node is not available. */
export async function findPrograms(programs: Programs): Promise<string | null> {
  const found = await onceInRun(`node-${programs.node}-npm-${programs.npm}`, async (place) => {
    mkdirSync(place);
    const path = await installPrograms(programs, place, (name, words, { cwd }) =>
      runProcess(name, words, { cwd, env: shell() }),
    );
    return path ?? '';
  });
  return found === '' ? null : found;
}

/** Expects a client to list all tools and to get a reply to each example at its price. */
export async function expectAnswers(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  for (const { name, example, price } of operations) {
    const reply = await client.callTool({ name, arguments: { ...example } });
    expect(success.parse(reply.structuredContent).meta.creditsUsed, name).toBe(price);
  }
  await client.close();
}

export function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

export function report(line: string): void {
  process.stdout.write(`package: ${line}\n`);
}
