import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** A process's duration in milliseconds, and its peak memory in MB on Linux (0 elsewhere). */
export async function timeProcess(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'env' | 'stdio'> = {},
): Promise<{ spent: number; peak: number }> {
  const begun = performance.now();
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakMb(child.pid));
  }, 10);
  const [code] = await once(child, 'exit');
  const spent = performance.now() - begun;
  clearInterval(watch);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return { spent, peak };
}

function peakMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
