import file from '../../../../data/indicators.json' with { type: 'json' };

/** How an agency names a series; each agency has fields of its own. */
export interface AgencyNames {
  /** A feed in `agencies.json`. */
  feed: string;
  id?: string;
  column?: string;
  code?: string;
  divisor?: number;
  decimals?: number;
  attributes?: Readonly<Record<string, string>>;
  rebased?: boolean;
}

/** One row of `data/indicators.json`, which explains its fields. */
export interface Indicator {
  indicator: string;
  series_id: string;
  category: string;
  title: string;
  frequency: string;
  native_frequency?: string;
  units: string;
  seasonal_adjustment: string;
  source: string;
  copyright_status: string;
  release: string;
  lag_days: readonly number[];
  weekly?: { through: number; on: number };
  monthly?: { nth: number; on: number };
  weekday?: number;
  before_holidays?: boolean;
  reestimated?: boolean;
  final?: boolean;
  begins?: string;
  published_since?: string;
  agency?: AgencyNames;
  synonyms: readonly string[];
}

type Release = Pick<Indicator, 'source' | 'lag_days'> & Partial<Indicator>;
type Shared = keyof typeof file.defaults | 'source' | 'lag_days';
type Row = Omit<Indicator, Shared | 'synonyms'> &
  Partial<Pick<Indicator, Shared>> & { synonyms: string };
const rows: readonly Row[] = file.indicators;
const releases = new Map<string, Release>(Object.entries(file.releases));

/** The catalogue, in file order. */
export const INDICATORS: readonly Indicator[] = rows.map((row) => {
  const release = releases.get(row.release);
  if (release === undefined) throw new Error(`no release ${row.release}`);
  return { ...file.defaults, ...release, ...row, synonyms: row.synonyms.split(', ') };
});

export const INDICATOR_OF: ReadonlyMap<string, Indicator> = new Map(
  INDICATORS.map((row) => [row.series_id, row]),
);

/** Series that can fall below zero. */
export const SIGNED: ReadonlySet<string> = new Set(file.signed);

/** A series that an agency publishes without a key. */
export interface AgencyRow extends Indicator {
  agency: AgencyNames;
}

/** The series of one feed, in the order of the catalogue. */
export function rowsOfFeed(feed: string): AgencyRow[] {
  return INDICATORS.flatMap((row) =>
    row.agency?.feed === feed ? [{ ...row, agency: row.agency }] : [],
  );
}
