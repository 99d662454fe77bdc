import { Presets, SingleBar } from 'cli-progress';

/** How far the work has come. */
export interface Step {
  /** 0 to 1; null while the total is unknown. */
  share: number | null;
  /** Items done by this process, for the rate. */
  done: number;
  /** Shown beside it, such as "2,500 records". */
  text: string;
}

export interface Progress {
  show(step: Step): void;
  /** A line of its own that stays, such as the reason for a pause. */
  note(line: string): void;
  end(): void;
}

/** Without a terminal, the interval between two lines. */
const LINE_EVERY_MS = 10_000;
const BAR_UNITS = 1_000;

/** A bar that is redrawn on a terminal, plain lines elsewhere; both with rate and time left. */
export function startProgress(
  label: string,
  stream: NodeJS.WriteStream,
  log: (line: string) => void,
): Progress {
  const speedOf = measureSpeed();
  return stream.isTTY ? drawBar(label, stream, speedOf) : writeLines(label, log, speedOf);
}

function drawBar(
  label: string,
  stream: NodeJS.WriteStream,
  speedOf: (step: Step) => string,
): Progress {
  const bar = new SingleBar(
    {
      format: `${label} [{bar}] {text}{speed}`,
      stream,
      clearOnComplete: false,
      hideCursor: true,
      barsize: 24,
      gracefulExit: false,
    },
    Presets.rect,
  );
  bar.start(BAR_UNITS, 0, { text: '', speed: '' });
  return {
    show: (step) =>
      bar.update(Math.round((step.share ?? 0) * BAR_UNITS), {
        text: step.text,
        speed: speedOf(step),
      }),
    note(line) {
      stream.write(`\r\x1b[K${line}\n`);
    },
    end: () => bar.stop(),
  };
}

function writeLines(
  label: string,
  log: (line: string) => void,
  speedOf: (step: Step) => string,
): Progress {
  let lastAt = Date.now() - LINE_EVERY_MS;
  let pending: string | undefined;
  return {
    show(step) {
      const percent = step.share === null ? '' : `${Math.floor(step.share * 100)} %, `;
      pending = `${label}: ${percent}${step.text}${speedOf(step)}`;
      if (Date.now() - lastAt < LINE_EVERY_MS) return;
      lastAt = Date.now();
      log(pending);
      pending = undefined;
    },
    note: log,
    end() {
      if (pending !== undefined) log(pending);
    },
  };
}

/**
 * Returns ", 31 per second, 4 min left". The time left counts what this process has done itself: a
 * resumed run begins in the middle.
 */
function measureSpeed(): (step: Step) => string {
  const begun = Date.now();
  let first: { share: number; at: number } | undefined;
  return ({ share, done }) => {
    const at = Date.now();
    if (share !== null) first ??= { share, at };
    const seconds = (at - begun) / 1000;
    if (seconds < 1 || done === 0) return '';
    const rate = done / seconds;
    const speed =
      rate >= 1 ? `, ${Math.round(rate)} per second` : `, ${Math.round(rate * 60)} per minute`;
    if (share === null || first === undefined || share <= first.share || share >= 1) return speed;
    const perShare = (at - first.at) / 1000 / (share - first.share);
    return `${speed}, ${describeDuration(perShare * (1 - share))} left`;
  };
}

/** "45 s", "12 min", "3 h 5 min". */
export function describeDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
