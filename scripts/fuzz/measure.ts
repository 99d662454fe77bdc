import { performance } from 'node:perf_hooks';
import { AgencyRequestError } from '../../src/areas/macro/agencies/feed.ts';
import { FredRequestError } from '../../src/areas/macro/source.ts';
import { GammaRequestError } from '../../src/areas/markets/source.ts';
import { ArxivRequestError, TokenExpired } from '../../src/areas/papers/source.ts';
import { HttpError, InvalidResponseError } from '../../src/upstream/errors.ts';

/** What one input led to. */
export interface Trial {
  /** 'read', a reason, or the class of an error. */
  outcome: string;
  /** Of a class that no caller expects. */
  crash: Error | null;
  /** Longest time in which the event loop did not turn, in milliseconds. */
  blockMs: number;
}

/** Longest time for one input; documents have a limit of their own in a thread. */
const PATIENCE_MS = 10_000;
const EXPECTED = [
  HttpError,
  InvalidResponseError,
  ArxivRequestError,
  TokenExpired,
  FredRequestError,
  GammaRequestError,
  AgencyRequestError,
];

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
    const isExpected = EXPECTED.some((each) => error instanceof each);
    const thrown = error instanceof Error ? error : new Error(String(error));
    return { outcome: thrown.constructor.name, crash: isExpected ? null : thrown, blockMs };
  }
}

function startMeter(): { stop(): { blockMs: number } } {
  let last = performance.now();
  let blockMs = 0;
  let isOn = true;
  const turn = () => {
    const now = performance.now();
    blockMs = Math.max(blockMs, now - last);
    last = now;
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
