// What the tools answer, as far as it is drawn.

export type Fields = Readonly<Record<string, unknown>>;

export interface Meta {
  asOf: string | undefined;
  notice: string | undefined;
  verdict: string | undefined;
  creditsUsed: number | undefined;
  remainingCredits: number | undefined;
  /** The history holds only some of its observations: how many, and of how many. */
  thinned: { shown: number; of: number } | undefined;
  /** Where each paper of a search answers best, by its card. */
  matches: ReadonlyMap<string, readonly string[]>;
}

export type Answer =
  | { kind: 'answer'; data: object; meta: Meta }
  | { kind: 'failure'; message: string; code?: string; param?: string };

export interface Section {
  section_key: string;
  title: string;
  char_count: number;
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
  sections?: readonly Section[];
}

export interface Observation {
  date: string;
  value: number | null;
  realtime_start?: string;
  exact?: boolean;
  first_value?: number;
  first_units?: string;
}

export interface History {
  indicator: string;
  series_id: string;
  title: string;
  frequency: string;
  units: string;
  attribution: string;
  stale: boolean;
  ended?: boolean;
  next_release?: { date: string; exact: boolean };
  /** By `meta`. */
  isThinned?: boolean;
  /** What its values are, if not the level. */
  note?: string;
  observations: readonly Observation[];
}

export interface Indicator {
  indicator: string;
  series_id: string;
  title: string;
  category: string;
  frequency: string;
  units: string;
  observation_start?: string;
  observation_end?: string;
}

export interface Market {
  market_question: string;
  outcomes: readonly {
    label: string;
    current_probability: number;
    day_ago_probability?: number;
  }[];
  status: string;
  volume: number;
  group_label?: string;
  settlement?: Settlement;
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

// Each kind is told by a field that only it has. Where others are missing, drawing fails, which is caught.

export function isHistory(data: object): data is History {
  return 'observations' in data;
}

export function isListing(data: object): data is Listing {
  return 'events' in data;
}

export function isEvent(data: object): data is Event {
  return 'markets' in data;
}

export function isPaper(data: object): data is Paper {
  return 'sections' in data;
}

export function isCatalogue(data: object): data is readonly Indicator[] {
  return Array.isArray(data) && data.length > 0 && 'indicator' in data[0];
}

export function isPaperList(data: object): data is readonly Paper[] {
  return Array.isArray(data);
}

/** What came from elsewhere as an object whose fields are still unknown; anything else as an empty one. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The envelope of an answer or of an error; undefined for anything else. */
export function readEnvelope(envelope: unknown): Answer | undefined {
  const { data, meta, error } = fieldsOf(envelope);
  const { message, code, param } = fieldsOf(error);
  if (typeof message === 'string') {
    const named = typeof param === 'string' ? { param } : {};
    return { kind: 'failure', message, ...(typeof code === 'string' ? { code } : {}), ...named };
  }
  if (typeof data !== 'object' || data === null) return undefined;
  return { kind: 'answer', data, meta: readMeta(fieldsOf(meta)) };
}

function readMeta({ matches, ...meta }: Fields): Meta {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const count = (value: unknown) => (typeof value === 'number' ? value : undefined);
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const thinned = fieldsOf(meta.thinned);
  const [shown, of] = [count(thinned.shown), count(thinned.of)];
  return {
    asOf: text(meta.asOf),
    notice: text(meta.notice),
    verdict: text(meta.verdict),
    creditsUsed: count(meta.creditsUsed),
    remainingCredits: count(meta.remainingCredits),
    thinned: shown === undefined || of === undefined ? undefined : { shown, of },
    matches: new Map(
      list(matches).map((match) => {
        const { paperCardId, sections } = fieldsOf(match);
        const keys = list(sections).flatMap((each) => text(fieldsOf(each).section_key) ?? []);
        return [text(paperCardId) ?? '', keys];
      }),
    ),
  };
}

/**
 * What a tool answered: the envelope stands in `structuredContent` and, for hosts that pass on the text
 * alone, in the text.
 */
export function readResult(result: Fields): Answer {
  const text = textOf(result);
  const answer = readEnvelope(result.structuredContent ?? parseJson(text));
  if (answer !== undefined) return answer;
  // A host that refuses a call words it by itself.
  const words = result.isError === true ? text : '';
  return { kind: 'failure', message: words || 'The host passed on no figures that can be drawn.' };
}

function textOf({ content }: Fields): string {
  const { text } = fieldsOf(Array.isArray(content) ? content[0] : undefined);
  return typeof text === 'string' ? text : '';
}

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
