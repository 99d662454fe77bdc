import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '../core/errors.ts';

/** `add` or `remove`, with its targets and options; omitted flags are undefined. */
export interface OwnCommand
  extends Partial<Record<'json' | 'recursive' | 'dryRun', boolean | undefined>> {
  name: 'add' | 'remove';
  targets: readonly string[];
  bib?: string | undefined;
}

/** Declares `add` and `remove`, for the user's own papers. */
export function declareOwn(program: Command, takeAny: (command: OwnCommand) => void): void {
  const take = (command: OwnCommand) => {
    // An empty path, as from an unset shell variable, would mean the current folder.
    if ([...command.targets, command.bib].includes('')) {
      const remedy =
        command.bib === '' ? 'Name a file after --bib.' : 'Use . for the current folder.';
      throw new UsageError(
        `\`quantshelf ${command.name}\` does not accept an empty path. ${remedy}`,
      );
    }
    takeAny(command);
  };
  program
    .command('add')
    .description('Add your own PDFs to the shelf, or update those that changed; they stay private')
    .argument('<path...>', 'PDFs, saved arXiv pages, or folders with them')
    .option('--recursive', 'include subfolders')
    .option('--bib <file>', 'a BibTeX file that describes them, such as an export from Zotero')
    .option('--dry-run', 'identify the files, but store nothing')
    .option('--json', 'print JSON instead of text')
    .action((targets, options) => take({ name: 'add', targets, ...options }));
  program
    .command('remove')
    .description('Take your own papers off the shelf; their files stay')
    .argument('<target...>', 'paper ids, files or folders')
    .option('--json', 'print JSON instead of text')
    .action((targets, options) => take({ name: 'remove', targets, ...options }));
}
