import { UsageError } from './config.ts';
import { printable } from './core/input.ts';

const HELP = 'See `quantshelf --help`.';

/** What the parser of Node found wrong, in our words. `argv` is what it was given. */
export function sayParseFault(error: unknown, argv: readonly string[]): UsageError {
  const said = error instanceof Error ? error.message : '';
  const name = printable(/'(?:-\w, )?(-[^\s'=]*)/.exec(said)?.[1] ?? '');
  if (/^-\d/.test(name)) return new UsageError(`${name} is no whole number above 0. ${HELP}`);
  if (/does not take an argument/.test(said)) {
    return new UsageError(`${name} takes no value. ${HELP}`);
  }
  if (/argument (?:is ambiguous|missing)/.test(said)) {
    const given = argv[argv.indexOf(name) + 1] ?? '';
    return /^-\d/.test(given)
      ? new UsageError(`${name} takes no negative number such as ${printable(given)}. ${HELP}`)
      : new UsageError(`${name} needs a value behind it. ${HELP}`);
  }
  return new UsageError(name === '' ? HELP : `There is no option ${name}. ${HELP}`);
}
