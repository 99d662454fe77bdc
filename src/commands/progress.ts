import { Presets, SingleBar } from 'cli-progress';

/** How far a piece of work is. */
export interface Step {
  /** Share of the whole, 0..1; null while it cannot be told. */
  share: number | null;
  /** Things done since the work began in this process, for the rate. */
  done: number;
  /** What else is to be seen, such as "2,500 records". */
  text: string;
}

export interface Progress {
  show(step: Step): void;
  /** A line of its own that stays, such as the reason of a pause. */
  say(line: string): void;
  end(): void;
}

/** Without a terminal, a line is said no more often than this. */
const PLAIN_EVERY_MS = 10_000;
const BAR_UNITS = 1_000;

/** A bar that is redrawn on a terminal, plain lines elsewhere; both with rate and time left. */
export function startProgress(
  label: string,
  stream: NodeJS.WriteStream,
  log: (line: string) => void,
  now: () => number = Date.now,
): Progress {
  const speedOf = watchSpeed(now);
  return stream.isTTY ? drawBar(label, stream, speedOf) : writeLines(label, log, speedOf, now);
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
    say(line) {
      stream.write(`\r\x1b[K${line}\n`);
    },
    end: () => bar.stop(),
  };
}

function writeLines(
  label: string,
  log: (line: string) => void,
  speedOf: (step: Step) => string,
  now: () => number,
): Progress {
  let said = now() - PLAIN_EVERY_MS;
  let pending: string | undefined;
  return {
    show(step) {
      const percent = step.share === null ? '' : `${Math.floor(step.share * 100)} %, `;
      pending = `${label}: ${percent}${step.text}${speedOf(step)}`;
      if (now() - said < PLAIN_EVERY_MS) return;
      said = now();
      log(pending);
      pending = undefined;
    },
    say: log,
    end() {
      if (pending !== undefined) log(pending);
    },
  };
}

/**
 * Says ", 31 a second, 4 min left". The time left is told from what this process has done itself: a
 * piece of work that goes on where another stopped begins in the middle.
 */
function watchSpeed(now: () => number): (step: Step) => string {
  const begun = now();
  let first: { share: number; at: number } | undefined;
  return ({ share, done }) => {
    const at = now();
    if (share !== null) first ??= { share, at };
    const seconds = (at - begun) / 1000;
    if (seconds < 1 || done === 0) return '';
    const rate = done / seconds;
    const told =
      rate >= 1 ? `, ${Math.round(rate)} a second` : `, ${Math.round(rate * 60)} a minute`;
    if (share === null || first === undefined || share <= first.share || share >= 1) return told;
    const perShare = (at - first.at) / 1000 / (share - first.share);
    return `${told}, ${describeDuration(perShare * (1 - share))} left`;
  };
}

/** "45 s", "12 min", "3 h 5 min". */
export function describeDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
