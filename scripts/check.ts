import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/*
 * `npm test`, after the build: checks types and style in parallel with the tests, which do not use all cores
 * all the time. Passes its arguments to Vitest. Prints a check's output in one piece, when it fails and again
 * at the end.
 */

/** Runs a script of package.json; returns a report of its failure, or undefined. */
async function check(script: string): Promise<string | undefined> {
  const shell = process.platform === 'win32';
  const child = spawn('npm', ['run', '--silent', script], { shell });
  const closed = once(child, 'close');
  const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
  const [code] = await closed;
  const fault =
    code === 0 ? undefined : `${script} failed (exit code ${code})\n${output.trimEnd()}`;
  process.stderr.write(`\n${fault ?? `${script} passed`}\n`);
  return fault;
}

async function checkCode(): Promise<string[]> {
  // One after the other, because the tests use the other cores.
  const faults = [await check('typecheck'), await check('lint')];
  return faults.filter((fault) => fault !== undefined);
}

async function runTests(args: readonly string[]): Promise<number> {
  const words = ['node_modules/vitest/vitest.mjs', 'run', ...args];
  const [code] = await once(spawn(process.execPath, words, { stdio: 'inherit' }), 'close');
  return code ?? 1;
}

const [faults, code] = await Promise.all([checkCode(), runTests(process.argv.slice(2))]);
// Unless a check failed, the last line printed is Vitest's.
for (const fault of faults) process.stderr.write(`\n${fault}\n`);
process.exitCode = faults.length > 0 || code !== 0 ? 1 : 0;
