import * as z from 'zod';

const figureSchema = z.strictObject({
  what: z.string(),
  unit: z.enum(['ms', 'MB', 'times']),
  /** Like `p95` in `unit`; a single sample has no p95. */
  p50: z.number(),
  p95: z.number().optional(),
  samples: z.number(),
  /** The project's target, if it has one: a bound on one of the two values. */
  target: z.strictObject({ of: z.enum(['p50', 'p95']), below: z.number() }).optional(),
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

/** Whether a figure meets its target or has none. */
export function isMet({ target, p50, p95 }: Figure): boolean {
  if (target === undefined) return true;
  return (target.of === 'p50' ? p50 : (p95 ?? p50)) < target.below;
}

/** The sections as tables of a page. */
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

function describeTarget(each: Figure): string {
  const { target, unit } = each;
  if (target === undefined) return '';
  const of = target.of === 'p50' ? 'median' : 'p95';
  return `${of} below ${target.below} ${unit}: ${isMet(each) ? 'met' : 'MISSED'}`;
}
