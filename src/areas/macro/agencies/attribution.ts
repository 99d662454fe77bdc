import { easternDay } from './calendar.ts';
import { AGENCIES, type AgencyName } from './feed.ts';

/** The source notice for figures of an agency; `taken` is when it was asked, ISO 8601. */
export function creditAgency(agency: AgencyName, taken: string): { name: string; notice: string } {
  const { credit, terms } = AGENCIES[agency];
  return { name: credit, notice: `${credit}, accessed ${easternDay(new Date(taken))}${terms}` };
}
