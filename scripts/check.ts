import { spawn } from 'node:child_process';

/*
 * `npm test`, after the build: checks types and style in parallel with the tests, which do not use all cores
 * all the time. Passes its arguments to Vitest. Prints a check's output in one piece, when it fails and again
 * at the end.
 */

interface Ended {
  name: string;
  code: number;
  said: string;
}

/** Runs a script of package.json and keeps its output. */
function runScript(name: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', name], { shell: process.platform === 'win32' });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => said.push(chunk));
    }
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ name, code: code ?? 1, said: Buffer.concat(said).toString('utf8') }),
    );
  });
}

/** Runs Vitest with live output. */
function runTests(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const words = ['node_modules/vitest/vitest.mjs', 'run', ...args];
    const child = spawn(process.execPath, words, { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve({ name: 'tests', code: code ?? 1, said: '' }));
  });
}

async function checkCode(): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const name of ['typecheck', 'lint']) {
    const check = await runScript(name);
    process.stderr.write(describe(check));
    ended.push(check);
  }
  return ended;
}

function describe({ name, code, said }: Ended): string {
  const how = code === 0 ? 'passed' : `failed (exit code ${code})`;
  return `\n${name} ${how}\n${code === 0 ? '' : `${said.trimEnd()}\n`}`;
}

const [checks, tests] = await Promise.all([checkCode(), runTests(process.argv.slice(2))]);
// The last line is the runner's, unless a check failed.
for (const check of checks) if (check.code !== 0) process.stderr.write(describe(check));
process.exitCode = [...checks, tests].some(({ code }) => code !== 0) ? 1 : 0;
