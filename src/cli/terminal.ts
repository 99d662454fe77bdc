import type { SyncStep } from '../core/area.ts';
import { toLogLine } from '../core/text.ts';
import type { FetchProgress } from '../embedding/fetch.ts';

export interface Terminal {
  /** Writes a line for people to stderr. */
  log(line: string): void;
  /** Writes a line of the result to stdout. */
  print(line: string): void;
  /**
   * An AbortSignal: the first SIGINT, SIGTERM or SIGHUP aborts it with `reason` instead of killing the process,
   * as a second SIGINT or SIGTERM does.
   */
  stopSignal(reason: Error): AbortSignal;
}

export interface Progress {
  show(step: SyncStep): void;
  /** Prints a permanent line, such as the reason for a pause. */
  note(line: string): void;
  end(): void;
}

/** Intervals between progress lines in a log, and between redraws on a terminal. */
const LINE_EVERY_MS = 10_000;
const DRAW_EVERY_MS = 100;
const BAR_LENGTH = 24;
const CLEAR_LINE = '\r\x1b[K';

/** Starts a progress display: a bar redrawn in place on a terminal, else log lines, both with the time left. */
export function startProgress(label: string, log: (line: string) => void): Progress {
  const { stderr } = process;
  const every = stderr.isTTY ? DRAW_EVERY_MS : LINE_EVERY_MS;
  let lastAt = Date.now() - every;
  let pending: string | undefined;
  let first: { share: number; at: number } | undefined;
  /** Based on this process's work alone: a resumed sync starts midway. */
  const timeLeft = (share: number | null): string => {
    if (share === null) return '';
    const at = Date.now();
    first ??= { share, at };
    if (share <= first.share || share >= 1) return '';
    const seconds = (((at - first.at) / 1000) * (1 - share)) / (share - first.share);
    return `, ${describeDuration(seconds)} left`;
  };
  const flush = () => {
    if (pending === undefined) return;
    if (stderr.isTTY) stderr.write(CLEAR_LINE + pending.slice(0, (stderr.columns || 80) - 1));
    else log(pending);
    pending = undefined;
  };
  return {
    show(step) {
      const done = stderr.isTTY ? `${label} [${drawBar(step.share ?? 0)}] ` : `${label}: `;
      const percent = step.share === null ? '' : `${Math.floor(step.share * 100)} %, `;
      pending = `${done}${percent}${step.text}${timeLeft(step.share)}`;
      if (Date.now() - lastAt < every) return;
      lastAt = Date.now();
      flush();
    },
    note: (line) => (stderr.isTTY ? stderr.write(`${CLEAR_LINE}${toLogLine(line)}\n`) : log(line)),
    end() {
      flush();
      if (stderr.isTTY) stderr.write('\n');
    },
  };
}

function drawBar(share: number): string {
  return '█'.repeat(Math.round(share * BAR_LENGTH)).padEnd(BAR_LENGTH, '░');
}

const NAMES = { model: 'model', runtime: 'ONNX Runtime' } as const;
const SOURCES = { hub: 'the hub', registry: 'npm' } as const;

/** Shows the downloads of the model and its runtime, one after the other. */
export function showDownloads(log: (line: string) => void): (step: FetchProgress) => void {
  let shown: { label: string; progress: Progress } | undefined;
  return ({ what, source, received, total }) => {
    const label = `${NAMES[what]} from ${SOURCES[source]}`;
    if (shown?.label !== label) shown = { label, progress: startProgress(label, log) };
    const text = `${(received / 1e6).toFixed(0)} of ${megabytes(total, 0)}`;
    shown.progress.show({ share: received / total, text });
    if (received < total) return;
    shown.progress.end();
    shown = undefined;
  };
}

/** "100,000". */
export const grouped = (count: number) => count.toLocaleString('en-US');

/** "3.1 MB". */
export function megabytes(bytes: number, decimals = 1): string {
  return `${(bytes / 1e6).toFixed(decimals)} MB`;
}

/** "2026-11-22 10:00 UTC", from an ISO time. */
export function toMinute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** "45 s", "12 min", "3 h 5 min". */
export function describeDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
