import * as z from 'zod';

const bound = { of: z.enum(['p50', 'p95']) };
const figureSchema = z.strictObject({
  what: z.string(),
  /** `share` is a fraction of 1. */
  unit: z.enum(['ms', 'MB', 'times', 's', 'share', 'rows']),
  /** Like `p95` in `unit`; a single sample has no p95. */
  p50: z.number(),
  p95: z.number().optional(),
  samples: z.number(),
  /** The project's target, if it has one: a bound on one of the two values. */
  target: z
    .union([
      z.strictObject({ ...bound, below: z.number() }),
      z.strictObject({ ...bound, atLeast: z.number() }),
    ])
    .optional(),
  /** For the terminal and the raw results only, not for the page. */
  isDetail: z.literal(true).optional(),
});
export const sectionSchema = z.strictObject({ title: z.string(), figures: z.array(figureSchema) });

/** One measurement. */
export type Figure = z.output<typeof figureSchema>;
export type Section = z.output<typeof sectionSchema>;

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

/** The same figures, for the terminal and the raw results only. */
export function details(figures: readonly Figure[]): Figure[] {
  return figures.map((each) => ({ ...each, isDetail: true }));
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

/** The sections as tables of a page, without details. */
export function sectionTables(sections: readonly Section[]): string {
  const tables = sections.flatMap(({ title, figures }) => {
    const shown = figures.filter(({ isDetail }) => isDetail !== true);
    if (shown.length === 0) return [];
    const rows = shown.map((each) => {
      const p95 = each.p95 === undefined ? '' : show(each.p95, each.unit);
      const cells = [each.what.trim(), show(each.p50, each.unit), p95, describeTarget(each)];
      return `| ${cells.join(' | ')} |`;
    });
    return [[`| ${title} | median | p95 | target |`, '|---|---|---|---|', ...rows].join('\n')];
  });
  return tables.join('\n\n');
}

function show(value: number, unit: Figure['unit']): string {
  if (unit === 'times') return `${value.toFixed(2)} times`;
  if (unit === 'share') return value.toFixed(3);
  const digits = value < 100 ? (value < 10 ? 2 : 1) : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

function describeTarget(each: Figure): string {
  const { target, unit } = each;
  if (target === undefined) return '';
  const [sign, bound] = 'below' in target ? ['below', target.below] : ['at least', target.atLeast];
  const shown = unit === 'share' ? `${bound}` : `${bound} ${unit}`;
  return `${target.of === 'p50' ? 'median' : 'p95'} ${sign} ${shown}: ${isMet(each) ? 'met' : 'MISSED'}`;
}
