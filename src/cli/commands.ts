import { Argument, type Command, Option } from '@commander-js/extra-typings';
import hostFile from '../../data/hosts.json' with { type: 'json' };
import { VENUES } from '../areas/markets/sources/venues.ts';
import { AREAS, type Area } from '../core/area.ts';
import { UsageError } from '../core/errors.ts';
import { latestDay } from '../core/time.ts';
import type { BackupCommand } from './backup.ts';
import type { ExportCommand } from './export.ts';
import type { InitCommand } from './init.ts';
import type { KeysCommand } from './keys.ts';
import { declareOwn, type OwnCommand } from './own-options.ts';
import type { ServeOptions } from './serve.ts';
import type { SyncCommand } from './sync.ts';
import {
  addAllowedHost,
  readAccount,
  readArea,
  readDay,
  readDays,
  readHarvestDay,
  readHost,
  readNumber,
  readPort,
  readRefresh,
  readScopes,
  readSet,
  readWhen,
} from './values.ts';

const [STANDARD, OPTIONAL] = [false, true].map((isOptional) =>
  VENUES.flatMap((venue) => (venue.isOptional === isOptional ? venue.name : [])).join(' or '),
);

/** A command with its parsed and checked arguments and options. */
export type Invocation =
  | { name: 'call'; operation: string; input: string }
  | { name: 'status'; json: boolean; since: string | undefined; due: number | undefined }
  | { name: 'model'; json: boolean }
  | { name: 'doctor'; json: boolean }
  | ({ name: 'sync' } & SyncCommand)
  | ({ name: 'serve' } & ServeOptions)
  | BackupCommand
  | InitCommand
  | ExportCommand
  | KeysCommand
  | OwnCommand;

const JSON_FLAG = ['--json', 'print JSON instead of text'] as const;

export type Take = (invocation: Invocation) => void;

/** Declares every command and option; parsing, help and suggestions follow from this. */
export function declareCommands(program: Command, take: Take, now: Date): void {
  program
    .command('init')
    .description('Print the settings that make an MCP host start QuantShelf')
    .argument('[host]', `${Object.keys(hostFile.hosts).join(', ')}, or any other`)
    .option('--write', "add them to the host's settings file, after a backup")
    .action((host, { write = false }) => take({ name: 'init', host, write }));
  program
    .command('call')
    .description('Call one operation and print its reply as JSON')
    .argument('<operation>', 'name of the operation, such as paper_search')
    .argument('[json]', 'arguments as one JSON object', '{}')
    .action((operation, input) => take({ name: 'call', operation, input }));
  declareSync(program, take);
  declareOwn(program, take);
  declareExport(program, take, now);
  program
    .command('status')
    .description('Show what is on the shelf and how old it is')
    .option(
      '--since <when>',
      'also show what is new since a date, or in a period such as 7d',
      readWhen(now),
    )
    .option('--due <days>', 'also show macro figures due within a period such as 7d', readDays)
    .option(...JSON_FLAG)
    .action(({ json = false, since, due }) => take({ name: 'status', json, since, due }));
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
      readNumber('--rate'),
    )
    .option(
      '--max-connections <n>',
      'maximum connections with a call in progress; others get a 503',
      readNumber('--max-connections'),
      400,
    )
    .option(
      '--allow-host <name>',
      "accept this name in Host and Origin, such as a proxy's; limits full texts to free licences; repeatable",
      addAllowedHost,
    )
    .action(({ host, port, rate, maxConnections, allowHost: allowedHosts = [] }) =>
      take({ name: 'serve', host, port, rate, maxConnections, allowedHosts }),
    );
  program
    .command('backup')
    .description('Save the store to a new file, even while it is in use')
    .argument('<file>', 'path of the new file; must not exist')
    .option(...JSON_FLAG)
    .action((file, { json = false }) => take({ name: 'backup', file, json }));
  program
    .command('restore')
    .description('Replace the store with a backup; the old store is kept')
    .argument('<file>', 'a file saved by `quantshelf backup`')
    .option(...JSON_FLAG)
    .action((file, { json = false }) => take({ name: 'restore', file, json }));
  declareKeys(program, take);
}

function declareExport(program: Command, take: Take, now: Date): void {
  const command = program
    .command('export')
    .description('Export stored data to a file or stdout')
    .addArgument(new Argument('<area>', 'area to export').choices(AREAS).argParser(readArea))
    .argument('[name...]', 'macro: indicators; papers: ids (default: all)')
    .option('--query <text>', 'papers: the ten best matches for this query; costs 1 credit')
    .option('--as-of <date>', 'macro: the values known on this day', readDay('--as-of'))
    .option(
      '--since <date>',
      "first day, by a figure's period, a paper's publication or a market's resolution",
      readDay('--since'),
    )
    .option('--until <date>', 'last day, inclusive', readDay('--until'))
    .option('--vintages', 'macro: every known value of each period, not only the latest')
    .option('--strict', 'macro: only values whose publication day was observed, not estimated')
    .option('--wide', 'macro: one column per indicator, empty where there is no value')
    .addOption(
      new Option(
        '--format <format>',
        'output format (default: from the file name, else csv); bibtex is for papers only',
      ).choices(['csv', 'json', 'ndjson', 'bibtex'] as const),
    )
    .option('--safe-csv', "CSV: put a ' before texts that a spreadsheet would run as formulas")
    .option('--out <file>', 'file to write, or to replace atomically; - is stdout', '-')
    .action((area, names, options) => {
      refuseForeignOptions(command, area, {
        papers: ['query'],
        macro: ['asOf', 'vintages', 'strict', 'wide'],
      });
      const { asOf, since, until, wide, vintages, safeCsv, out } = options;
      const format = options.format ?? formatOfName(out);
      if (area === 'markets' && names.length > 0) {
        throw new UsageError('`quantshelf export markets` takes no names: leave them out.');
      }
      if (format === 'bibtex' && area !== 'papers') {
        throw new UsageError('BibTeX works only with `quantshelf export papers`.');
      }
      if (safeCsv && format !== 'csv') {
        throw new UsageError('--safe-csv works only with CSV: leave it out, or use --format csv.');
      }
      if (wide && vintages) {
        throw new UsageError(
          '--wide has one value per period and indicator, but --vintages has several: use one or the other.',
        );
      }
      if (since !== undefined && until !== undefined && since > until) {
        throw new UsageError('--since must not be after --until.');
      }
      if (asOf !== undefined && asOf > latestDay(now)) {
        throw new UsageError('--as-of must not be in the future.');
      }
      take({ name: 'export', area, names, ...options, format });
    });
}

/** The format that a file name implies; csv by default. Throws a UsageError for other table formats and archives. */
function formatOfName(name: string): ExportCommand['format'] {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^(?:xls[xbm]?|ods|tsv|parquet|feather|arrow|gz|zip|zst)$/.test(ending)) {
    throw new UsageError(
      `.${ending} is not an export format: end the name in .csv, .json, .ndjson or .bib.`,
    );
  }
  if (/^bib(?:tex)?$/.test(ending)) return 'bibtex';
  if (/^(?:ndjson|jsonl)$/.test(ending)) return 'ndjson';
  return ending === 'json' ? 'json' : 'csv';
}

function declareSync(program: Command, take: Take): void {
  const sync = program
    .command('sync')
    .description('Refresh the shelf from its upstreams; safe to stop at any time')
    .addArgument(
      new Argument('[target]', 'area to refresh (default: all)')
        .choices(AREAS)
        .argParser((value) => readArea(value, ', or none for all three')),
    )
    .option(
      '--since <date>',
      'papers: changes since this day (default: the last sync, at first a year ago)',
      readHarvestDay,
    )
    .option(
      '--set <set>',
      'papers: an arXiv group or category, such as q-fin.PM or econ.GN (default: q-fin)',
      readSet,
    )
    .option('--limit <n>', 'papers: at most n new or changed ones', readNumber('--limit'))
    .option(
      '--full-text <n>',
      'papers: also fetch the full texts of the n newest papers that lack one',
      readNumber('--full-text'),
    )
    .addOption(
      new Option(
        '--source <venue>',
        `markets: ${OPTIONAL} turns that venue on for this and later syncs; ${STANDARD} turns it off again`,
      ).choices(VENUES.map(({ name }) => name)),
    )
    .addOption(new Option('--refresh <what>').argParser(readRefresh).hideHelp())
    .option('--force', 'ignore the pauses that upstreams asked for')
    .option(...JSON_FLAG)
    .action((target, { json = false, ...options }) => {
      refuseForeignOptions(sync, target, {
        papers: ['since', 'limit', 'set', 'fullText'],
        markets: ['source', 'refresh'],
      });
      const { since, limit, set = 'q-fin', fullText = 0, force = false } = options;
      const papers = { since, limit, set, fullText };
      const markets = { venue: options.source, refresh: options.refresh };
      const areas = target === undefined ? AREAS : [target];
      take({ name: 'sync', areas, papers, markets, force, json });
    });
}

/** Throws a UsageError if an option belongs to another area. */
function refuseForeignOptions(
  command: { name(): string; getOptionValueSource(key: string): unknown },
  target: Area | undefined,
  options: Partial<Record<Area, readonly string[]>>,
): void {
  if (target === undefined) return;
  for (const [area, keys] of Object.entries(options)) {
    const key = keys.find((each) => command.getOptionValueSource(each) !== undefined);
    if (area === target || key === undefined) continue;
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} belongs to \`quantshelf ${command.name()} ${area}\`.`);
  }
}

function declareKeys(program: Command, take: Take): void {
  const keys = program
    .command('keys')
    .description('Manage the accounts for `quantshelf serve`')
    .helpCommand(false);
  keys
    .command('create')
    .description('Create an account with a key, and print the key once')
    .argument('<NAME>', 'name of the account', readAccount)
    .option('--credits <n>', 'credits it may spend', readNumber('--credits', 0), 10_000)
    .option('--scopes <areas>', 'areas it may use, such as papers,macro (default: all)', readScopes)
    .option(...JSON_FLAG)
    .action((account, { credits, scopes = [...AREAS], json = false }) =>
      take({ name: 'keys create', account, credits, scopes, json }),
    );
  keys
    .command('list')
    .description('List all accounts')
    .option('--usage', "also show each account's paid calls")
    .option(...JSON_FLAG)
    .action(({ usage = false, json = false }) => take({ name: 'keys list', usage, json }));
  keys
    .command('grant')
    .description('Add credits to an account')
    .argument('<NAME>', 'name of the account; "local" is your own')
    .argument('<N>', 'credits to add', readNumber('N'))
    .option(...JSON_FLAG)
    .action((account, credits, { json = false }) =>
      take({ name: 'keys grant', account, credits, json }),
    );
  keys
    .command('revoke')
    .description('Revoke a key permanently')
    .argument('<NAME>', 'name of the account')
    .option(...JSON_FLAG)
    .action((account, { json = false }) => take({ name: 'keys revoke', account, json }));
}
