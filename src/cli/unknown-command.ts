import { UsageError } from '../config.ts';
import { findOperation } from '../operations.ts';

interface Group {
  commands: readonly (Group & { name(): string })[];
}

/** JSON that stands in a shell's single quotes as it is. */
const QUOTABLE = /^\{[ -&(-~]*\}$/;

/**
 * The words up to the first that is no command; null where there is none. The parser answers a slip
 * beside `help` or `--help` with the help of the program, so these words are to be parsed alone.
 * Throws a UsageError for the name of an operation, which is an argument of `call`.
 */
export function unknownCommandIn(program: Group, argv: readonly string[]): string[] | null {
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const read: string[] = [];
  let group = program;
  for (const word of words) {
    if (word.startsWith('-') || group.commands.length === 0) return null;
    read.push(word);
    const command = group.commands.find((each) => each.name() === word);
    if (command === undefined) {
      if (group === program) refuseOperation(word, words[1]);
      return read;
    }
    group = command;
  }
  return null;
}

function refuseOperation(name: string, given = ''): void {
  const operation = findOperation(name);
  if (operation === undefined) return;
  const input = QUOTABLE.test(given) ? given : JSON.stringify(operation.example);
  throw new UsageError(
    `Unknown command '${name}'. It is an operation: \`quantshelf call ${name} '${input}'\`.`,
  );
}
