import { afterEach, expect, it, vi } from 'vitest';
import { startProgress } from '../../../src/cli/terminal.ts';

const { isTTY, columns } = process.stderr;
afterEach(() => {
  Object.assign(process.stderr, { isTTY, columns });
  vi.restoreAllMocks();
});

/** The output of a two-step run on this kind of stderr, and its log. */
function show(stderr: { isTTY: boolean; columns: number | undefined }) {
  Object.assign(process.stderr, stderr);
  const drawn = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const out = vi.spyOn(process.stdout, 'write');
  const log: string[] = [];
  const progress = startProgress('records', (line) => log.push(line));
  progress.show({ share: 0.25, text: '25 records' });
  progress.show({ share: 0.5, text: '50 records' });
  progress.end();
  expect(out).not.toHaveBeenCalled();
  return { drawn: drawn.mock.calls.map(([text]) => String(text)).join(''), log };
}

it.each([
  ['no', undefined],
  ['0', 0],
  ['200', 200],
])('a progress bar takes one line on a terminal that reports %s columns', (_, columns) => {
  const { drawn, log } = show({ isTTY: true, columns });
  expect(drawn).toMatch(/records \[█{6}░{18}\] 25 %, 25 records.*50 %, 50 records, 1 s left\n$/s);
  expect(log).toEqual([]);
});

it('a progress bar is cut to the width of a narrow terminal, so that it never wraps', () => {
  const { drawn } = show({ isTTY: true, columns: 20 });
  const lines = drawn.split('\r\x1b[K').map((line) => line.trimEnd().length);
  expect(Math.max(...lines)).toBe(19);
});

it('progress is logged line by line if stderr is not a terminal', () => {
  const { drawn, log } = show({ isTTY: false, columns: undefined });
  expect(log).toEqual(['records: 25 %, 25 records', 'records: 50 %, 50 records, 1 s left']);
  expect(drawn).toBe('');
});
