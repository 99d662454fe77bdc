import { parseArgs } from 'node:util';
import { setNamed } from './areas/papers/arxiv/sets.ts';
import { sayParseFault } from './command-line-faults.ts';
import { UsageError } from './config.ts';
import { isCalendarDay } from './core/fields.ts';

/** What `sync` can refresh. */
export type SyncArea = 'papers' | 'macro' | 'markets';

export interface SyncOptions {
  /** YYYY-MM-DD. */
  since: string | undefined;
  limit: number | undefined;
  /** Set of arXiv's OAI-PMH. */
  set: string;
  /** Papers whose full text is fetched ahead of time. */
  fullText: number;
  /** Only the most traded events: what a server asks for in the background. */
  busiest: boolean;
}

export type Command =
  | { name: 'stdio' }
  | { name: 'help' }
  | { name: 'version' }
  | { name: 'call'; operation: string; input: string }
  | { name: 'status'; json: boolean }
  | { name: 'doctor'; json: boolean }
  | { name: 'model'; json: boolean }
  | { name: 'sync'; areas: readonly SyncArea[]; options: SyncOptions; json: boolean }
  | { name: 'grant'; account: string; credits: number; json: boolean };

/** Reads the words after the program's name; throws a UsageError that says what is allowed. */
export function readCommand(argv: readonly string[], now = new Date()): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
  const { json } = values;
  const [word, ...rest] = positionals;
  if (word !== 'sync') refuseSyncOptions(values);
  switch (word) {
    case undefined:
      if (json)
        throw new UsageError('--json belongs to a command, such as `quantshelf status --json`.');
      return { name: 'stdio' };
    case 'call': {
      const [operation, input] = expectWords("call <operation> '<json>'", rest, 1, 2);
      return { name: 'call', operation: operation ?? '', input: input ?? '{}' };
    }
    case 'status':
    case 'doctor':
    case 'model':
      expectWords(word, rest, 0, 0);
      return { name: word, json };
    case 'sync':
      return { name: 'sync', ...readSync(rest, values, now), json };
    case 'help':
      return { name: 'help' };
    case 'keys': {
      const [action, account, credits] = expectWords('keys grant NAME N', rest, 3, 3);
      if (action !== 'grant' || !/^[1-9]\d{0,14}$/.test(credits ?? '')) {
        throw new UsageError(
          'Usage: quantshelf keys grant NAME N, where N is a whole number above 0.',
        );
      }
      return { name: 'grant', account: account ?? '', credits: Number(credits), json };
    }
    default:
      throw new UsageError(`There is no command "${word}". See \`quantshelf --help\`.`);
  }
}

/** Only `sync` takes these. */
const SYNC_OPTIONS = {
  since: { type: 'string' },
  limit: { type: 'string' },
  set: { type: 'string' },
  'full-text': { type: 'string' },
  busiest: { type: 'boolean' },
} as const;

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
        json: { type: 'boolean', default: false },
        ...SYNC_OPTIONS,
      },
    });
  } catch (error) {
    throw sayParseFault(error, argv);
  }
}

type SyncValues = {
  [name in Exclude<keyof typeof SYNC_OPTIONS, 'busiest'>]?: string | undefined;
} & { busiest?: boolean | undefined };

function refuseSyncOptions(values: SyncValues): void {
  const given = Object.entries(SYNC_OPTIONS).find(([name]) =>
    Object.entries(values).some(([key, value]) => key === name && value !== undefined),
  );
  if (given !== undefined) {
    throw new UsageError(`--${given[0]} belongs to \`quantshelf sync\`.`);
  }
}

const SYNC_AREAS: readonly SyncArea[] = ['papers', 'macro', 'markets'];
/** arXiv's list of changes begins on this day. */
const FIRST_DAY = '2005-09-16';

function readSync(
  words: readonly string[],
  values: SyncValues,
  now: Date,
): { areas: readonly SyncArea[]; options: SyncOptions } {
  expectWords(`sync [${SYNC_AREAS.join('|')}]`, words, 0, 1);
  const areas = SYNC_AREAS.filter((area) => words.length === 0 || words[0] === area);
  if (areas.length === 0) {
    throw new UsageError(
      `Nothing is known to sync under "${words[0]}"; there is: ${SYNC_AREAS.join(', ')}.`,
    );
  }
  refuseForeignOptions(areas, values);
  const limit = values.limit === undefined ? undefined : readCount('--limit', values.limit);
  const fullText =
    values['full-text'] === undefined ? 0 : readCount('--full-text', values['full-text']);
  return {
    areas,
    options: {
      since: readSince(values.since, now),
      limit,
      set: readSet(values.set),
      fullText,
      busiest: values.busiest === true,
    },
  };
}

function readCount(name: string, value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`${name} takes a whole number above 0.`);
  return Number(value);
}

/** Which area an option is for; with no area named it is used where it belongs. */
const OWNERS: Readonly<Record<keyof typeof SYNC_OPTIONS, SyncArea>> = {
  since: 'papers',
  limit: 'papers',
  set: 'papers',
  'full-text': 'papers',
  busiest: 'markets',
};

function refuseForeignOptions(areas: readonly SyncArea[], values: SyncValues): void {
  for (const [name, area] of Object.entries(OWNERS)) {
    const isGiven = Object.entries(values).some(
      ([key, value]) => key === name && value !== undefined,
    );
    if (isGiven && !areas.includes(area)) {
      throw new UsageError(`--${name} belongs to \`quantshelf sync ${area}\`.`);
    }
  }
}

function readSince(value: string | undefined, now: Date): string | undefined {
  if (value === undefined) return undefined;
  if (!isCalendarDay(value)) throw new UsageError('--since takes a day as YYYY-MM-DD.');
  if (value > now.toISOString().slice(0, 10)) {
    throw new UsageError(`--since takes no day of the future; ${value} is one.`);
  }
  if (value < FIRST_DAY) throw new UsageError(`--since takes no day before ${FIRST_DAY}.`);
  return value;
}

function readSet(value = 'q-fin'): string {
  const set = setNamed(value);
  if (set !== null) return set;
  throw new UsageError(
    'arXiv has no set of this name: --set takes a group such as q-fin, or a category such as q-fin.PM or econ.GN.',
  );
}

function expectWords(
  usage: string,
  words: readonly string[],
  min: number,
  max: number,
): readonly string[] {
  if (words.length < min || words.length > max) throw new UsageError(`Usage: quantshelf ${usage}`);
  return words;
}
