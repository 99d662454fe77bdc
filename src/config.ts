import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import envPaths from 'env-paths';
import * as z from 'zod';

/** Everything the process was told, checked once and frozen. */
export interface Config {
  /** Directory of the store and the model cache. */
  home: string;
  /** Never touch the network. */
  offline: boolean;
  /** A directory that already holds the model, or undefined. */
  modelDir: string | undefined;
  /** Base URL of the model hub. */
  hubUrl: string;
  /** Credits that the local account is granted when the store is made. */
  credits: number;
}

export type Command =
  | { name: 'stdio' }
  | { name: 'help' }
  | { name: 'version' }
  | { name: 'call'; operation: string; input: string }
  | { name: 'status'; json: boolean }
  | { name: 'doctor'; json: boolean }
  | { name: 'model'; json: boolean }
  | { name: 'grant'; account: string; credits: number; json: boolean };

/** A command line or environment that cannot be carried out; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const flag = z
  .enum(['', '0', '1', 'false', 'true'], { error: 'must be 1 or 0' })
  .transform((value) => value === '1' || value === 'true');

const environment = z.object({
  QUANTSHELF_HOME: z.string().optional(),
  QUANTSHELF_OFFLINE: flag.default(false),
  QUANTSHELF_MODEL_DIR: z.string().optional(),
  QUANTSHELF_HUB_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .default('https://huggingface.co'),
  QUANTSHELF_CREDITS: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number of credits' })
    .transform(Number)
    .default(100_000),
});

/** Reads the environment; throws a UsageError that names the variable and what it takes. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  // An empty variable is how many hosts write "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(`${String(issue?.path[0])} ${issue?.message ?? 'is wrong'}.`);
  }
  const home = parsed.data.QUANTSHELF_HOME ?? envPaths('quantshelf', { suffix: '' }).data;
  const modelDir = parsed.data.QUANTSHELF_MODEL_DIR;
  return Object.freeze({
    home: absolute(home),
    offline: parsed.data.QUANTSHELF_OFFLINE,
    modelDir: modelDir === undefined ? undefined : absolute(modelDir),
    hubUrl: parsed.data.QUANTSHELF_HUB_URL.replace(/\/+$/, ''),
    credits: parsed.data.QUANTSHELF_CREDITS,
  });
}

/** The one file that holds a user's shelf. */
export function storePath(home: string): string {
  return join(home, 'quantshelf.sqlite');
}

function absolute(path: string): string {
  return isAbsolute(path) ? path : resolve(path);
}

/** Reads the words after the program's name; throws a UsageError that says what is allowed. */
export function readCommand(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
  const json = values.json;
  const [word, ...rest] = positionals;
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

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    const said = error instanceof Error ? error.message.split('. ')[0] : 'Unknown option';
    throw new UsageError(`${said}. See \`quantshelf --help\`.`);
  }
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
