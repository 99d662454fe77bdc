/** `share` is a fraction of 1, `B` is bytes. */
type Unit = 'ms' | 'MB' | 'B' | 'times' | 's' | 'share' | 'GB/s' | 'rows';

/** One measurement. `p50` and `p95` are in `unit`; a single sample has no p95. */
export interface Figure {
  what: string;
  unit: Unit;
  p50: number;
  p95?: number;
  samples: number;
  /** The project's target, if it has one. */
  target?: Target;
}

/** A bound on one of the two values. */
type Target = { of: 'p50' | 'p95' } & ({ below: number } | { atLeast: number });

export interface Section {
  title: string;
  figures: Figure[];
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
    samples: samples.length,
    ...(target === undefined ? {} : { target }),
  };
}

/** Whether a figure meets its target or has none. */
export function isMet({ target, p50, p95 }: Figure): boolean {
  if (target === undefined) return true;
  const value = target.of === 'p50' ? p50 : (p95 ?? p50);
  return 'below' in target ? value < target.below : value >= target.atLeast;
}

/** The sections as one aligned table for people. */
export function renderSections(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ title, figures }) => [
    ['', '', '', '', ''],
    [title, 'p50', 'p95', 'n', 'target'],
    ...figures.map((each) => [
      `  ${each.what}`,
      show(each.p50, each.unit),
      each.p95 === undefined ? '' : show(each.p95, each.unit),
      String(each.samples),
      describeTarget(each),
    ]),
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map(([what = '', p50 = '', p95 = '', n = '', target = '']) => {
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = widths;
      const cells = [what.padEnd(w0), p50.padStart(w1), p95.padStart(w2), n.padStart(w3), target];
      return cells.join('  ').trimEnd();
    })
    .join('\n');
}

function show(value: number, unit: Unit): string {
  if (unit === 'times') return `${value.toFixed(2)}x`;
  if (unit === 'share') return value.toFixed(3);
  const digits = value < 100 ? (value < 10 ? 2 : 1) : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

function describeTarget(each: Figure): string {
  const { target, unit } = each;
  if (target === undefined) return '';
  const [sign, bound] = 'below' in target ? ['<', target.below] : ['>=', target.atLeast];
  const shown = unit === 'times' ? `${bound}x` : unit === 'share' ? `${bound}` : `${bound} ${unit}`;
  return `${target.of} ${sign} ${shown}  ${isMet(each) ? 'met' : 'MISSED'}`;
}
