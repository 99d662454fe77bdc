import { performance } from 'node:perf_hooks';
import { TokenExpired } from '../../src/areas/papers/arxiv/oai.ts';
import { isUpstreamError } from '../../src/upstream/errors.ts';

/** What one input led to. */
export interface Trial {
  /** 'read', a reason, or the class of an error. */
  outcome: string;
  /** Of a class that no caller expects. */
  crash: Error | null;
  /**
   * Longest time in which the event loop did not turn, in milliseconds; without that in which other
   * programs had the processor.
   */
  blockMs: number;
}

/** Longest time for one input; documents have a limit of their own in a thread. */
const PATIENCE_MS = 10_000;

export async function tryInput(read: (signal: AbortSignal) => Promise<unknown>): Promise<Trial> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const meter = startMeter();
  try {
    const result = await read(signal);
    const { blockMs } = meter.stop();
    return {
      outcome: typeof result === 'string' ? result : 'read',
      crash: null,
      ...told(result, blockMs),
    };
  } catch (error) {
    const { blockMs } = meter.stop();
    if (error === signal.reason) return { outcome: 'stopped', crash: null, blockMs };
    const isExpected = isUpstreamError(error) || error instanceof TokenExpired;
    const thrown = error instanceof Error ? error : new Error(String(error));
    return { outcome: thrown.constructor.name, crash: isExpected ? null : thrown, blockMs };
  }
}

function startMeter(): { stop(): { blockMs: number } } {
  let last = performance.now();
  let lastUsed = process.cpuUsage();
  let blockMs = 0;
  let isOn = true;
  const turn = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(lastUsed);
    // All threads count, so this is never less than what the main thread needed.
    blockMs = Math.max(blockMs, Math.min(now - last, (user + system) / 1_000));
    last = now;
    lastUsed = process.cpuUsage();
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      turn();
      isOn = false;
      return { blockMs };
    },
  };
}

/** A reader in another process tells its own time. */
function told(result: unknown, blockMs: number): { blockMs: number } {
  const isTold = typeof result === 'object' && result !== null && 'blockMs' in result;
  return { blockMs: isTold ? Number(result.blockMs) : blockMs };
}
