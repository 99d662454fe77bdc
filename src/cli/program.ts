import { Command, CommanderError } from '@commander-js/extra-typings';
import { VERSION } from '../app/built.ts';
import { UsageError } from '../config.ts';
import { AREAS, type Area } from '../core/area.ts';
import { findOperation } from '../operations.ts';
import type { BackupCommand } from './backup.ts';
import { HELP_AFTER } from './help.ts';
import { HOSTS } from './hosts.ts';
import type { InitCommand } from './init.ts';
import type { KeysCommand } from './keys.ts';
import type { ServeOptions } from './serve.ts';
import type { SyncOptions } from './sync-areas.ts';
import {
  addAllowedHost,
  readAccount,
  readCount,
  readCredits,
  readHost,
  readPort,
  readScopes,
  readSet,
  readSince,
  readTarget,
  readVenue,
} from './values.ts';

/** A command with its arguments and options, read and checked. */
export type Invocation =
  | { name: 'call'; operation: string; input: string }
  | { name: 'status'; json: boolean }
  | { name: 'model'; json: boolean }
  | { name: 'doctor'; json: boolean }
  | { name: 'sync'; areas: readonly Area[]; options: SyncOptions; json: boolean }
  | ({ name: 'serve' } & ServeOptions)
  | BackupCommand
  | InitCommand
  | KeysCommand;

/** Columns of the help, whatever the terminal: docs/command-line.md shows it, too. */
const HELP_COLUMNS = 100;
const JSON_FLAG = ['--json', 'print JSON instead of text'] as const;

/**
 * Reads the words after the program's name. Null where they ask for help or the version, which
 * goes to `print`. Throws a UsageError that says what is wrong.
 */
export function readInvocation(
  argv: readonly string[],
  print: (text: string) => void,
  now = new Date(),
): Invocation | null {
  const read: Invocation[] = [];
  const faults: string[] = [];
  const program = declareProgram((invocation) => read.push(invocation), now, {
    writeOut: (text) => print(text.trimEnd()),
    writeErr: (text) => faults.push(text),
  });
  // The parser's own command `help` knows no command of a command.
  const asked = argv[0] === 'help' && argv.length > 2 ? [...argv.slice(1), '--help'] : argv;
  try {
    program.parse(asked, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.unknownCommand') hintAtOperation(argv[0]);
    const isHelp = error.code === 'commander.help';
    if (error.exitCode !== 0) throw new UsageError(faults.join('').trimEnd(), { isHelp });
  }
  return read[0] ?? null;
}

/** Throws where the unknown command is an operation, which is an argument of `call`. */
function hintAtOperation(name = ''): void {
  const operation = findOperation(name);
  if (operation === undefined) return;
  const input = JSON.stringify(operation.example);
  throw new UsageError(
    `Unknown command '${name}'. It is an operation: \`quantshelf call ${name} '${input}'\`.`,
  );
}

/** The help of the program, or of one of its commands, as `--help` prints it. */
export function helpOf(...names: readonly string[]): string {
  const printed: string[] = [];
  readInvocation([...names, '--help'], (text) => printed.push(text));
  return printed.join('\n');
}

/** The words of every command that does something, in the order of the help. */
export function listCommands(): string[][] {
  const nowhere = { writeOut: () => {}, writeErr: () => {} };
  return declareProgram(() => {}, new Date(), nowhere).commands.flatMap((command) => {
    const parts = command.commands.map((part) => [command.name(), part.name()]);
    return parts.length === 0 ? [[command.name()]] : parts;
  });
}

/** The parser's "error: unknown option '--yaml'" in the form of our other messages. */
function toSentence(text: string): string {
  return text
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/\n\((Did you mean [^\n]*\?)\)\n$/, '. $1\n')
    .replace(/([^.?!)\s])(\n*)$/, '$1.$2');
}

type Take = (invocation: Invocation) => void;

/** Every command and option. Parsing, help and suggestions follow from what is declared here. */
function declareProgram(
  take: Take,
  now: Date,
  output: { writeOut(text: string): void; writeErr(text: string): void },
) {
  const program = new Command('quantshelf')
    .exitOverride()
    .configureOutput({
      ...output,
      getOutHelpWidth: () => HELP_COLUMNS,
      getErrHelpWidth: () => HELP_COLUMNS,
      outputError: (text, write) => write(toSentence(text)),
    })
    .showHelpAfterError('See `quantshelf --help`.')
    .usage('[command]')
    .description(
      'Papers, U.S. macro indicators and prediction markets for AI agents, on this machine.\n' +
        'Without a command: an MCP server on stdin and stdout, which is what an MCP host starts.',
    )
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'Print the help of a command')
    .addHelpText('after', HELP_AFTER);

  program
    .command('init')
    .description('Print the settings with which an MCP host starts QuantShelf')
    .argument('[host]', `${Object.keys(HOSTS).join(', ')}, or any other`)
    .option('--write', 'add them to the settings file of the host, after a backup')
    .action((host, { write = false }) => take({ name: 'init', host, write }));
  program
    .command('call')
    .description('Call one operation and print its reply as JSON')
    .argument('<operation>', 'name of the operation, such as paper_search')
    .argument('[json]', 'its arguments as one JSON object', '{}')
    .action((operation, input) => take({ name: 'call', operation, input }));
  declareSync(program, take, now);
  program
    .command('status')
    .description('Show what is on the shelf and how old it is')
    .option(...JSON_FLAG)
    .action(({ json = false }) => take({ name: 'status', json }));
  program
    .command('doctor')
    .description('Check the installation and say how to repair it')
    .option(...JSON_FLAG)
    .action(({ json = false }) => take({ name: 'doctor', json }));
  program
    .command('model')
    .description('Download and verify the search model ahead of time')
    .option(...JSON_FLAG)
    .action(({ json = false }) => take({ name: 'model', json }));
  program
    .command('serve')
    .description('Serve the operations as REST, and as MCP at /mcp, to callers with a key')
    .option('--host <address>', 'address to listen on', readHost, '127.0.0.1')
    .option('--port <n>', 'port; 0 picks a free one', readPort, 8787)
    .option(
      '--rate <n>',
      'calls per minute per key (default: QUANTSHELF_RATE)',
      readCount('--rate'),
    )
    .option(
      '--max-connections <n>',
      'open connections at once',
      readCount('--max-connections'),
      100,
    )
    .option(
      '--allow-host <name>',
      'serve under this host name too, to others: only free full texts; repeatable',
      addAllowedHost,
    )
    .action(({ host, port, rate, maxConnections, allowHost: allowedHosts = [] }) =>
      take({ name: 'serve', host, port, rate, maxConnections, allowedHosts }),
    );
  program
    .command('backup')
    .description('Save the store to a new file, while it is in use')
    .argument('<file>', 'where to save it; it must not exist')
    .option(...JSON_FLAG)
    .action((file, { json = false }) => take({ name: 'backup', file, json }));
  program
    .command('restore')
    .description('Replace the store with a backup; the old store is kept')
    .argument('<file>', 'a file that `backup` saved')
    .option(...JSON_FLAG)
    .action((file, { json = false }) => take({ name: 'restore', file, json }));
  declareKeys(program, take);
  return program;
}

/** The area that an option of `sync` is for. */
const OPTION_AREAS = {
  since: 'papers',
  limit: 'papers',
  set: 'papers',
  fullText: 'papers',
  source: 'markets',
  busiest: 'markets',
} as const satisfies Record<string, Area>;

function declareSync(program: Command, take: Take, now: Date): void {
  const sync = program
    .command('sync')
    .description('Refresh the shelf from its sources; you can stop it at any point')
    .argument('[target]', 'papers, macro or markets (default: all of them)', readTarget)
    .option(
      '--since <date>',
      'papers: those changed since this day, YYYY-MM-DD (default: since the last sync)',
      readSince(now),
    )
    .option(
      '--set <set>',
      'papers: an arXiv group or category, such as q-fin.PM or econ.GN (default: q-fin)',
      readSet,
    )
    .option('--limit <n>', 'papers: at most n new or changed ones', readCount('--limit'))
    .option(
      '--full-text <n>',
      'papers: also fetch the full texts of the n newest papers that lack one',
      readCount('--full-text'),
    )
    .option(
      '--source <venue>',
      'markets: only polymarket or kalshi; the first sync of kalshi turns it on for this shelf',
      readVenue,
    )
    .option('--busiest', 'markets: only the most traded events')
    .option('--force', 'ignore pauses that upstreams asked for, and the lock of another user')
    .option(...JSON_FLAG)
    .action((target, { json = false, ...given }) => {
      for (const [key, area] of Object.entries(OPTION_AREAS)) {
        const isGiven = sync.getOptionValueSource(key) !== undefined;
        if (isGiven && target !== undefined && target !== area) {
          throw new UsageError(`--${toFlag(key)} belongs to \`quantshelf sync ${area}\`.`);
        }
      }
      const { set = 'q-fin', fullText = 0, busiest = false, force = false, ...more } = given;
      const { since, limit, source } = more;
      const options = { since, limit, set, fullText, source, busiest, force };
      const areas = target === undefined ? AREAS : [target];
      take({ name: 'sync', areas, options, json });
    });
}

function toFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function declareKeys(program: Command, take: Take): void {
  const keys = program
    .command('keys')
    .description('Manage the accounts for `quantshelf serve`')
    .helpCommand(false);
  keys
    .command('create')
    .description('Make an account and its key, and print the key once')
    .argument('<NAME>', 'name of its account', readAccount)
    .option('--credits <n>', 'credits that it may spend', readCredits('--credits', 0), 10_000)
    .option('--scopes <areas>', 'areas it may use, such as papers,macro (default: all)', readScopes)
    .option(...JSON_FLAG)
    .action((account, { credits, scopes = [...AREAS], json = false }) =>
      take({ name: 'keys create', account, credits, scopes, json }),
    );
  keys
    .command('list')
    .description('List all accounts')
    .option('--usage', 'also show what each has paid for')
    .option(...JSON_FLAG)
    .action(({ usage = false, json = false }) => take({ name: 'keys list', usage, json }));
  keys
    .command('grant')
    .description('Add credits to an account')
    .argument('<NAME>', 'name of the account; "local" is your own')
    .argument('<N>', 'credits to add', readCredits('N', 1))
    .option(...JSON_FLAG)
    .action((account, credits, { json = false }) =>
      take({ name: 'keys grant', account, credits, json }),
    );
  keys
    .command('revoke')
    .description('Revoke a key permanently')
    .argument('<NAME>', 'name of its account')
    .option(...JSON_FLAG)
    .action((account, { json = false }) => take({ name: 'keys revoke', account, json }));
}
