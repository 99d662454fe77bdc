import { Command, CommanderError } from '@commander-js/extra-typings';
import { VERSION } from '../app/built.ts';
import { VENUES } from '../areas/markets/sources/venues.ts';
import { UsageError } from '../core/errors.ts';
import { operations } from '../operations.ts';
import { declareCommands, type Invocation } from './commands.ts';

/** Fixed width of the help, which docs/command-line.md quotes. */
const HELP_COLUMNS = 100;

/** Parses the command line; null after printing help or the version. Throws a UsageError that names the fault. */
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
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `help` with an unknown command prints all help; the command alone is rejected by name.
    if (argv[0] === 'help' && error.exitCode > 0) return readInvocation(argv.slice(1), print, now);
    if (error.exitCode !== 0) throw new UsageError(faults.join('').trimEnd());
  }
  return read[0] ?? null;
}

/** The help of the program, or of one of its commands, as `--help` prints it. */
export function helpOf(...names: readonly string[]): string {
  const printed: string[] = [];
  readInvocation([...names, '--help'], (text) => printed.push(text));
  return printed.join('\n');
}

function declareProgram(
  take: (invocation: Invocation) => void,
  now: Date,
  output: { writeOut(text: string): void; writeErr(text: string): void },
) {
  const program = new Command('quantshelf')
    .exitOverride()
    .configureOutput({
      ...output,
      getOutHelpWidth: () => HELP_COLUMNS,
      getErrHelpWidth: () => HELP_COLUMNS,
    })
    .showHelpAfterError('See `quantshelf --help`.')
    .usage('[command]')
    .description(
      'Papers, U.S. macro indicators and prediction markets for AI agents, on this machine.\n' +
        'Without a command, quantshelf serves MCP on stdin and stdout; hosts start it this way.',
    )
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', "Print a command's help")
    .addHelpText('after', HELP_AFTER);
  declareCommands(program, take, now);
  for (const command of program.commands) {
    if (command.name() === 'call') command.addHelpText('after', CALL_HELP_AFTER);
    for (const each of [command, ...command.commands]) {
      each.showHelpAfterError(`See \`quantshelf ${command.name()} --help\`.`);
    }
  }
  return program;
}

const OPERATIONS = operations.map(
  ({ name, price, title }) => `  ${name.padEnd(34)}${price}  ${title}`,
);

const ARGUMENTS = operations.map(({ name, input }) => {
  const names = Object.entries(input.shape).map(([key, { safeParse }]) =>
    safeParse(undefined).success ? `[${key}]` : key,
  );
  return `  ${name.padEnd(34)}${names.join(' ')}`;
});

const CALL_HELP_AFTER = `
Operations and their arguments:
${ARGUMENTS.join('\n')}

macro_indicator_history needs indicator or series_id; start and end are given together.`;

/** The end of the program's help, after its commands. */
const HELP_AFTER = `
Operations (credits per call):
${OPERATIONS.join('\n')}

Environment:
  QUANTSHELF_HOME       directory of the store and the model (default: the platform's data directory)
  QUANTSHELF_OFFLINE    1: never use the network
  QUANTSHELF_MODEL_DIR  a directory that already holds the model, such as models/ of another home
  QUANTSHELF_HUB_URL    base URL of the model hub
  QUANTSHELF_NPM_URL    base URL of an npm registry that has the model's runtime, used instead of npm
  FRED_API_KEY          your own FRED key, for all macro figures and their vintages; free at
                        https://fred.stlouisfed.org/docs/api/api_key.html
  QUANTSHELF_CONTACT    your email address, sent to arXiv with each request
  QUANTSHELF_PACE_MS    pause between requests, in milliseconds (for tests and mirrors)
  QUANTSHELF_ARXIV_OAI_URL, QUANTSHELF_ARXIV_WEB_URL, QUANTSHELF_AR5IV_URL
                        base URLs of arXiv's hosts, for mirrors
  ${['fred', ...VENUES.map((venue) => venue.name)].map((name) => `QUANTSHELF_${name.toUpperCase()}_URL`).join(', ')}
                        base URLs of FRED and the venues of prediction markets
  QUANTSHELF_BLS_URL, QUANTSHELF_TREASURY_URL, QUANTSHELF_NYFED_URL,
  QUANTSHELF_FEDBOARD_URL, QUANTSHELF_BEA_URL, QUANTSHELF_CENSUS_URL, QUANTSHELF_FHFA_URL
                        base URLs of the agencies whose macro figures need no key
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY  the proxy, if you need one
  QUANTSHELF_CREDITS    initial credits of the local account (default: 100000)
  QUANTSHELF_RATE       calls per minute per key over HTTP (default: 120)

Exit codes: 0 success, 1 failure (or \`call\` printed an error), 2 usage error.`;
