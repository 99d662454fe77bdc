import file from '../../../../data/calendar/release-days.json' with { type: 'json' };
import { shiftPeriods } from './calendar.ts';

/** The days on which a period is published, in order. */
interface RecordedDays {
  days: readonly string[];
  status: 'seen' | 'announced' | 'unconfirmed';
}

interface Group {
  source: string;
  status?: string;
  years?: Readonly<Record<string, string>>;
  weeks?: Readonly<Record<string, string>>;
}

/** Releases that revised a range of periods. */
export const REVISIONS = file.revisions;

const GROUPS = new Map<string, readonly Group[]>(Object.entries(file.releases));
const MONTHS = 12;

/** The recorded release days of a period. An annual figure is released with that of the last quarter. */
export function recordedDays(
  release: string,
  frequency: string,
  period: string,
): RecordedDays | undefined {
  const year = period.slice(0, 4);
  if (frequency === 'Annual') return recordedDays(release, 'Quarterly', `${year}-10-01`);
  for (const { status, years, weeks } of GROUPS.get(release) ?? []) {
    const tokens = years?.[year]?.split(' ') ?? [];
    const perYear = frequency === 'Quarterly' ? 4 : MONTHS;
    const at = ((Number(period.slice(5, 7)) - 1) * perYear) / MONTHS;
    const token = weeks?.[period] ?? (weeks === undefined ? tokens[at] : undefined);
    if (token === undefined || token === '.') continue;
    // A period without its own release was reported as missing in the next period's release.
    const next = token === '-' && shiftPeriods(frequency, period, 1);
    if (next) return recordedDays(release, frequency, next);
    return {
      days: token.split('/').map((day) => `${Number(year) + Number(day < period.slice(5))}-${day}`),
      status: status === 'announced' || status === 'unconfirmed' ? status : 'seen',
    };
  }
  return undefined;
}
