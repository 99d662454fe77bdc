import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import {
  bin,
  type Env,
  environment,
  node,
  runProcess,
  WITHOUT_MODEL,
} from '../test/e2e/support.ts';
import { findGrowth } from './fuzz/doubling.ts';
import { mutate, seeded } from './fuzz/mutate.ts';
import { LINES, openTargets, request, type Target } from './fuzz/targets.ts';
import { LOOPBACK } from './loopback.ts';
import { answerHelp } from './usage.ts';

answerHelp(`
Usage: npm run fuzz -- [--minutes 10] [--seed N]

Runs commands of the build in dist/ while mutating part of their upstreams' responses, sends mutated lines to a
server on stdio, and doubles hostile pages. The mutations depend on the seed and on the order of the requests.

Exits with 1 if
- a command exits with anything but 0 or 1, reports an error in the program, or takes longer than two minutes;
- the server ends, writes what is not JSON-RPC, or answers a ping in more than a second;
- doctor then finds a fault;
- a page takes more than linear time.
`);
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const PATIENCE_MS = 120_000;
const MAX_BLOCK_MS = 1_000;
/** JavaScript's messages for our own bugs; upstream faults have messages of their own. */
const MISTAKE =
  /\n {4}at |Cannot (read|set) propert|is not (a function|iterable|defined)|Maximum call stack|Invalid (array|string) length|internal error/;

const seed = Number(values.seed);
const minutes = Number(values.minutes);
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error('--minutes must be above 0 and --seed a whole number');
const home = mkdtempSync(join(tmpdir(), 'quantshelf-fuzz-'));
const store = join(home, 'quantshelf.sqlite');
const faults: string[] = [];
const targets = await openTargets();
const share = (minutes * 60_000) / (targets.length + 1);
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${seed}, ${minutes} min, Node ${process.versions.node}`);
for (const target of targets) say(await fuzzCommand(target));
for (const target of targets) await target.close();
say(await fuzzStdio());
say(doublePages());
const doctor = await run(['doctor'], {});
// The model is missing on purpose.
if (/^FAULT\s+(?!\s|model)/m.test(doctor.output)) faults.push(`doctor: ${doctor.output}`);
for (const fault of faults) say(`FAULT ${fault}`);
rmSync(home, { recursive: true, force: true });
if (faults.length > 0) process.exitCode = 1;

async function fuzzCommand({ name, argsOf, env, use, findLoss }: Target): Promise<string> {
  let runs = 0;
  for (const end = Date.now() + share; Date.now() < end; runs += 1) {
    use(seeded(seed + runs), store);
    const { code, output } = await run(argsOf(runs), env);
    if ((code !== 0 && code !== 1) || MISTAKE.test(output))
      faults.push(`${name}, run ${runs} of seed ${seed}: exit ${code}: ${output.slice(-500)}`);
    const loss = findLoss?.(store);
    if (loss !== undefined) faults.push(`${name}, run ${runs} of seed ${seed}: ${loss}`);
  }
  return `${name}: ${runs} runs`;
}

/** Offline unless a stand-in is given; without the model, since fuzzed text is parsed before embedding. */
function settings(env: Env): NodeJS.ProcessEnv {
  return environment(home, {
    ...LOOPBACK,
    ...WITHOUT_MODEL,
    QUANTSHELF_PACE_MS: '0',
    QUANTSHELF_CREDITS: '1000000000',
    QUANTSHELF_OFFLINE: Object.keys(env).length === 0 ? '1' : '0',
    ...env,
  });
}

/** Runs a command to its end. One that takes too long is killed and has no exit code. */
async function run(args: readonly string[], env: Env) {
  const options = { env: settings(env), timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
  const { code, stdout, stderr } = await runProcess(node, [bin, ...args], options);
  // The text of a paper may contain any words, so do not search it for mistakes.
  return { code, output: code === 0 && args[0] === 'call' ? stderr : stdout + stderr };
}

/** Sends a ping after each line; the time to its response is how long the server was blocked. */
async function fuzzStdio(): Promise<string> {
  const child = spawn(node, [bin], { env: settings({}) });
  const frame = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.unknown().optional() });
  const responses = new EventEmitter();
  let lines = 0;
  let isOver = false;
  const fail = (fault: string) => {
    if (!isOver) faults.push(`stdio: ${fault}`);
    isOver = true;
    responses.emit(String(lines));
  };
  /** Sends bytes and then a request; returns how long its response took, in milliseconds. */
  const ask = async (bytes: Uint8Array, method: string, params: object): Promise<number> => {
    const begun = performance.now();
    const response = once(responses, String(lines));
    child.stdin.write(bytes);
    child.stdin.write(`${request(String(lines), method, params)}\n`);
    await response;
    return performance.now() - begun;
  };
  child.on('exit', (code) => fail(`the server ended with ${code}`));
  child.stdin.on('error', () => {});
  child.stderr.resume();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { success, data } = frame.safeParse(readJson(line));
    if (!success) fail(`stdout carried ${line.slice(0, 200)}`);
    else if (typeof data.id === 'string') responses.emit(data.id);
  });
  // Starting does not count as blocking.
  await ask(Buffer.alloc(0), 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  });
  for (const end = Date.now() + share; Date.now() < end && !isOver; ) {
    lines += 1;
    const random = seeded(seed + lines);
    const line = LINES[Math.floor(random() * LINES.length)] ?? '';
    const input = mutate(Buffer.from(line), random).filter((byte) => byte !== 10);
    const blocked = await ask(Buffer.concat([input, Buffer.of(10)]), 'ping', {});
    if (blocked > MAX_BLOCK_MS) faults.push(`stdio: line ${lines} of seed ${seed}: ${blocked} ms`);
  }
  isOver = true;
  child.stdin.end();
  return `stdio: ${lines} lines`;
}

function doublePages(): string {
  const { pages, faults: slow } = findGrowth();
  faults.push(...slow);
  return `doubling: ${pages} kinds of pages`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
