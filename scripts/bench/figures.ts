import { cpus, loadavg, totalmem } from 'node:os';

/** One measurement. */
export interface Figure {
  what: string;
  unit: 'ms' | 'MB' | 'times';
  /** Like `p95` in `unit`; a single sample has no p95. */
  p50: number;
  p95?: number;
  /** The project's target, if it has one: a bound on one of the two values. */
  target?: { of: 'p50' | 'p95'; below: number };
}

export interface Section {
  title: string;
  figures: readonly Figure[];
}

/** Describes the machine and its load. Call this before the work begins, which adds to the load. */
export function describeRun(): string {
  const [load = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  const cpu = (cpus()[0]?.model ?? 'unknown').trim();
  const memory = Math.round(totalmem() / 1e9);
  const machine = `${process.platform} ${process.arch}, ${cpus().length} cores (${cpu}), ${memory} GB of memory`;
  // The one-minute average still includes work that has ended.
  const busy = load > cpus().length / 2 ? ', so other programs slowed it down' : '';
  return `By \`npm run bench\` on ${day}, ${machine}, Node ${process.versions.node}. Load average at the start: ${load.toFixed(1)}${busy}.`;
}

/** The quantile of the samples at `share` (nearest rank). */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

export function figure(
  what: string,
  unit: Figure['unit'],
  samples: readonly number[],
  target?: Figure['target'],
): Figure {
  return {
    what,
    unit,
    p50: quantile(samples, 0.5),
    ...(samples.length > 1 ? { p95: quantile(samples, 0.95) } : {}),
    ...(target === undefined ? {} : { target }),
  };
}

/** Formats the sections as tables of a page. */
export function sectionTables(sections: readonly Section[]): string {
  const tables = sections.map(({ title, figures }) => {
    const rows = figures.map((each) => {
      const p95 = each.p95 === undefined ? '' : show(each.p95, each.unit);
      const cells = [each.what, show(each.p50, each.unit), p95, describeTarget(each)];
      return `| ${cells.join(' | ')} |`;
    });
    return [`| ${title} | median | p95 | target |`, '|---|---|---|---|', ...rows].join('\n');
  });
  return tables.join('\n\n');
}

function show(value: number, unit: Figure['unit']): string {
  if (unit === 'times') return `${value.toFixed(2)} times`;
  const digits = value < 100 ? (value < 10 ? 2 : 1) : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

function describeTarget({ target, unit, p50, p95 = p50 }: Figure): string {
  if (target === undefined) return '';
  const [of, value] = target.of === 'p50' ? ['median', p50] : ['p95', p95];
  return `${of} below ${target.below} ${unit}: ${value < target.below ? 'met' : 'MISSED'}`;
}
