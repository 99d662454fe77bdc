import { parseArgs } from 'node:util';
import { sayParseFault } from './command-line-faults.ts';
import { UsageError } from './config.ts';

/** Options of single commands. */
const OPTIONS = {
  since: { type: 'string' },
  limit: { type: 'string' },
  set: { type: 'string' },
  'full-text': { type: 'string' },
  busiest: { type: 'boolean' },
  host: { type: 'string' },
  port: { type: 'string' },
  rate: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  credits: { type: 'string' },
  scopes: { type: 'string' },
  usage: { type: 'boolean' },
} as const;

/** The command that takes an option, and no other does. */
const OWNERS: Readonly<Record<keyof typeof OPTIONS, string>> = {
  since: 'sync',
  limit: 'sync',
  set: 'sync',
  'full-text': 'sync',
  busiest: 'sync',
  host: 'serve',
  port: 'serve',
  rate: 'serve',
  'allow-host': 'serve',
  credits: 'keys create',
  scopes: 'keys create',
  usage: 'keys list',
};

export type OptionValues = ReturnType<typeof parseWords>['values'];

/** Splits the words after the program's name; throws a UsageError for an option that is unknown. */
export function parseWords(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
        json: { type: 'boolean', default: false },
        ...OPTIONS,
      },
    });
  } catch (error) {
    throw sayParseFault(error, argv);
  }
}

/** Throws for an option of another command than the one that is read. */
export function refuseStrayOptions(values: OptionValues, command: string | undefined): void {
  const stray = Object.entries(OWNERS).find(([name, owner]) =>
    Object.entries(values).some(
      ([key, value]) => key === name && value !== undefined && owner !== command,
    ),
  );
  if (stray !== undefined) {
    throw new UsageError(`--${stray[0]} belongs to \`quantshelf ${stray[1]}\`.`);
  }
}

/** A whole number above 0. */
export function readCount(name: string, value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`${name} takes a whole number above 0.`);
  return Number(value);
}

export function expectWords(
  usage: string,
  words: readonly string[],
  min: number,
  max: number,
): readonly string[] {
  if (words.length < min || words.length > max) throw new UsageError(`Usage: quantshelf ${usage}`);
  return words;
}
