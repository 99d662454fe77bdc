import file from '../../../../data/indicators.json' with { type: 'json' };

/** How an agency publishes a series; which fields are present depends on the agency. */
export interface AgencyNames {
  /** Name of a feed in `data/agencies.json`. */
  feed: string;
  id?: string;
  column?: string;
  code?: string;
  divisor?: number;
  decimals?: number;
  attributes?: Readonly<Record<string, string>>;
  rebased?: boolean;
}

/** A series of `data/indicators.json`, where the fields are documented. */
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

/** Series whose values can be negative. */
export const SIGNED: ReadonlySet<string> = new Set(file.signed);

/** A series that an agency publishes without a key. */
export interface AgencyRow extends Indicator {
  agency: AgencyNames;
}

/** The series of one feed, in catalogue order. */
export function rowsOfFeed(feed: string): AgencyRow[] {
  return INDICATORS.flatMap((row) =>
    row.agency?.feed === feed ? [{ ...row, agency: row.agency }] : [],
  );
}
