import { expect, it } from 'vitest';
import { RUNS } from './commands.ts';
import { findPrinted } from './printed.ts';

it('every printed command is in the table of those that are run, and the reverse', () => {
  expect(findPrinted().commands).toEqual(Object.keys(RUNS).sort());
});

it('a command that is printed and not in the table would show', () => {
  const lines = [
    'npx -y quantshelf sync papers --limit 3    # few',
    'quantshelf keys',
    'quantshelf 1',
  ];
  expect(findPrinted(lines)).toEqual({
    launchers: ['npx -y quantshelf'],
    commands: ['sync papers --limit …', '…'],
    withNpx: ['sync papers --limit …'],
  });
});
