import { parseJson } from '../../core/text.ts';

// The parts of tool replies that the views draw.

export type Fields = Readonly<Record<string, unknown>>;

export interface Meta {
  asOf?: string;
  notice?: string;
  verdict?: string;
  creditsUsed?: number;
  remainingCredits?: number;
  /** Present if the reply has only some of the observations. */
  thinned?: { shown: number; of: number };
  /** The best-matching sections of each paper. */
  matches?: readonly { paperCardId: string; sections: readonly { section_key: string }[] }[];
}

export interface Failure {
  message: string;
  code?: string;
  param?: string;
}

/** `drawReply` recognises each kind by one of its fields. */
export type Data = History | Listing | Event | PaperText | readonly (Indicator | Paper | History)[];

export type Reply = { kind: 'data'; data: Data; meta: Meta } | ({ kind: 'failure' } & Failure);

export interface Section {
  section_key: string;
  title: string;
  content?: string;
}

export interface Paper {
  paperCardId: string;
  sourcePaperId: string;
  title: string;
  authors: readonly string[];
  abstract: string;
  summary: string;
  tags: readonly string[];
  availableSections: readonly Section[];
  pdfUrl: string;
  published?: string;
  primaryCategory?: string;
  version?: number;
  bibtex?: string;
}

export type PaperText = Paper & { sections: readonly Section[] };

export interface Observation {
  date: string;
  value: number | null;
  realtime_start?: string;
  exact?: boolean;
  first_value?: number;
  first_units?: string;
}

export interface Indicator {
  indicator: string;
  title: string;
  frequency: string;
  units: string;
  observation_end?: string;
}

export interface History extends Indicator {
  series_id: string;
  attribution: string;
  stale: boolean;
  ended?: boolean;
  next_release?: { date: string; exact: boolean };
  /** Whether `meta` says that values are left out. */
  isThinned?: boolean;
  /** Describes the values, unless they are levels. */
  note?: string;
  observations: readonly Observation[];
}

export interface Market {
  market_question: string;
  outcomes: readonly {
    label: string;
    current_probability: number;
    day_ago_probability?: number;
    week_ago_probability?: number;
  }[];
  status: string;
  volume: number;
  group_label?: string;
  settlement?: Settlement;
  /** Odds of the first outcome, one value per day. */
  history?: readonly { date: string; odds: number }[];
}

export interface Settlement {
  status: string;
  value?: number;
  winning_outcome?: string;
}

export interface Event {
  event_card_id: string;
  title: string;
  source: string;
  url: string;
  status: string;
  settlement: Settlement;
  end_time?: string;
  closed_time?: string;
  volume: number;
  volume_unit?: string;
  liquidity?: number;
  coverage_status: string;
  description?: string | null;
  mutually_exclusive?: boolean;
  more_markets?: number;
  markets: readonly Market[];
}

export interface Listing {
  events: readonly Event[];
  nextCursor?: string;
}

/** The fields of a value; empty unless it is an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Checks only the outermost fields; if a host has altered others, drawing fails. */
function isEnvelope(value: unknown): value is { data: Data; meta: Meta } | { error: Failure } {
  const { data, error } = fieldsOf(value);
  return typeof fieldsOf(error).message === 'string' || (typeof data === 'object' && data !== null);
}

/** Returns undefined for anything but the envelope of a reply or an error. */
export function readEnvelope(value: unknown): Reply | undefined {
  if (!isEnvelope(value)) return undefined;
  return 'error' in value ? { kind: 'failure', ...value.error } : { kind: 'data', ...value };
}

/** Reads a tool's reply. Some hosts pass on only the text, which is the same envelope as JSON. */
export function readResult(result: Fields): Reply {
  const text = textOf(result);
  const reply = readEnvelope(result.structuredContent ?? parseJson(text));
  if (reply !== undefined) return reply;
  // A host that refuses a call explains it in its own words.
  const words = result.isError === true ? text : '';
  return { kind: 'failure', message: words || 'The host returned nothing that can be drawn.' };
}

function textOf({ content }: Fields): string {
  const { text } = fieldsOf(Array.isArray(content) ? content[0] : undefined);
  return typeof text === 'string' ? text : '';
}
