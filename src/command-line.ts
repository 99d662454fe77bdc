import { setNamed } from './areas/papers/arxiv/sets.ts';
import { type KeysCommand, readKeys } from './command-line-keys.ts';
import {
  expectWords,
  type OptionValues,
  parseWords,
  readCount,
  refuseStrayOptions,
} from './command-line-options.ts';
import { readServe, type ServeCommand } from './command-line-serve.ts';
import { UsageError } from './config.ts';
import { isCalendarDay } from './core/fields.ts';
import { nearest, printable } from './core/input.ts';

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
  | ServeCommand
  | KeysCommand;

/** Reads the words after the program's name; throws a UsageError that says what is allowed. */
export function readCommand(argv: readonly string[], now = new Date()): Command {
  const { values, positionals } = parseWords(argv);
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
  const { json } = values;
  const [word, ...rest] = positionals;
  refuseStrayOptions(values, word === 'keys' ? `keys ${rest[0]}` : word);
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
    case 'serve':
      expectWords('serve [--host ADDRESS] [--port N] [--rate N] [--allow-host NAME]', rest, 0, 0);
      if (json) throw new UsageError('--json belongs to a command that prints data.');
      return readServe(values);
    case 'keys':
      return readKeys(rest, values);
    default:
      throw unknownCommand(word);
  }
}

const WORDS = ['call', 'sync', 'status', 'doctor', 'model', 'serve', 'keys', 'help'];

function unknownCommand(word: string): UsageError {
  const near = nearest(word, WORDS);
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new UsageError(
    `There is no command "${printable(word)}".${meant} See \`quantshelf --help\`.`,
  );
}

const SYNC_AREAS: readonly SyncArea[] = ['papers', 'macro', 'markets'];
/** arXiv's list of changes begins on this day. */
const FIRST_DAY = '2005-09-16';

function readSync(
  words: readonly string[],
  values: OptionValues,
  now: Date,
): { areas: readonly SyncArea[]; options: SyncOptions } {
  expectWords(`sync [${SYNC_AREAS.join('|')}]`, words, 0, 1);
  const areas = SYNC_AREAS.filter((area) => words.length === 0 || words[0] === area);
  if (areas.length === 0) {
    throw new UsageError(
      `Nothing is known to sync under "${printable(words[0] ?? '')}"; there is: ${SYNC_AREAS.join(', ')}.`,
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

/** Which area an option is for; with no area named it is used where it belongs. */
const OWNERS: Readonly<Record<'since' | 'limit' | 'set' | 'full-text' | 'busiest', SyncArea>> = {
  since: 'papers',
  limit: 'papers',
  set: 'papers',
  'full-text': 'papers',
  busiest: 'markets',
};

function refuseForeignOptions(areas: readonly SyncArea[], values: OptionValues): void {
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
