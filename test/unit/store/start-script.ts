import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Starts a module, given as text, in another process, which is killed at the end of the test. */
export function startScript(script: string, ...args: readonly string[]) {
  const command = ['--input-type=module', '-e', script, ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const firstOutput = once(child.stdout, 'data').then(String);
  return { child, firstOutput };
}
