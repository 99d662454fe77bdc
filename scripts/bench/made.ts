import { cpus, loadavg, totalmem } from 'node:os';
import * as z from 'zod';

/** How a block of figures came about. */
export const madeSchema = z.strictObject({
  command: z.string(),
  /** YYYY-MM-DD, UTC. */
  day: z.string(),
  node: z.string(),
  platform: z.string(),
  cpu: z.string(),
  cores: z.number(),
  memoryGb: z.number(),
  /** Average number of waiting processes in the minute before; 0 on Windows. */
  load: z.number(),
});
export type Made = z.output<typeof madeSchema>;

/** To be taken before the work begins: the load would include it. */
export function describeRun(command: string): Made {
  const [load = 0] = loadavg();
  return {
    command,
    day: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: (cpus()[0]?.model ?? 'unknown').trim(),
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    load: Math.round(load * 10) / 10,
  };
}

/** Without the version of Node: some blocks compare several. */
export function describeMade({ command, day, platform, cpu, cores, memoryGb, load }: Made): string {
  const machine = `${platform}, ${cores} cores (${cpu}), ${memoryGb} GB of memory`;
  // The average of the last minute still holds what ended before.
  const isBusy = load > cores / 2;
  const busy = isBusy ? ', so other programs slowed it down' : '';
  return `By \`${command}\` on ${day}, ${machine}. Load average at the start: ${load.toFixed(1)}${busy}.`;
}
