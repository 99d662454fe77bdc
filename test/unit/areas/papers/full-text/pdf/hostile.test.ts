import { expect, it, vi } from 'vitest';
import {
  layOutPdf,
  MAX_PAGES,
  type PdfPart,
  readPdf,
} from '../../../../../../src/areas/papers/full-text/pdf/pdf.ts';
import { lines, makeForms, makePdf, type Print } from '../../../../../stand-ins/pdf.ts';
import { FILLING, prose } from './maker.ts';

const LOCK = `<${'41'.repeat(32)}>`;
const ENCRYPTION = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ${LOCK} /U ${LOCK} >>`;

it.each([
  ['not a paper', 'is empty', new Uint8Array()],
  ['not a paper', 'is a web page', Buffer.from('<!doctype html><title>Not found</title>')],
  ['not a paper', 'ends after its header', Buffer.from('%PDF-1.7')],
  ['not a paper', 'has only zero bytes', new Uint8Array(99)],
  ['too little text', 'is a scan', makePdf([[], []])],
  ['too little text', 'is a notice', makePdf([lines(700, ['Withdrawn.'])])],
  ['encrypted', 'is encrypted', makePdf([FILLING], ENCRYPTION)],
])('a PDF is rejected as "%s" if it %s', async (reason, _, file) => {
  expect(await readPdf(new Uint8Array(file))).toEqual({ ok: false, reason });
});

it('a PDF that is truncated or damaged anywhere is either read or rejected with a reason', async () => {
  const whole = makePdf([FILLING, FILLING]);
  for (let share = 1; share < 20; share += 1) {
    const length = Math.floor((whole.length * share) / 20);
    const result = await readPdf(whole.slice(0, length));
    expect(result.ok || /^(?:not a paper|too little text)$/.test(result.reason)).toBe(true);
    const damaged = whole.slice();
    for (let at = share; at < damaged.length; at += 97) damaged[at] = (at * 31 + share) % 256;
    await expect(readPdf(damaged)).resolves.toHaveProperty('ok');
  }
});

const SPREAD: Print[] = prose(60).map((text, at) => ({
  text,
  x: [-1e9, 0, 1e9, 72][at % 4] ?? 0,
  y: [1e12, -1e12, 0, 300][(at >> 2) % 4] ?? 0,
  size: [0, 1e6, 10, 0.001][(at >> 4) % 4] ?? 10,
}));
const LONG = ['.', '. ', 'A ', '-', '1.', '(', 'a-', '[1] '].flatMap((text, at) =>
  lines(700 - 20 * at, [text.repeat(50_000)]),
);

// Work that grows much faster than the size of the file would time out.
it.each([
  ['text of extreme sizes in extreme places', makePdf([SPREAD, FILLING])],
  ['very long lines', makePdf([LONG, FILLING])],
  ['pages of 2,000 lines', makePdf(Array(3).fill(lines(780, prose(2_000), { leading: 0.35 })))],
  ['forms that draw each other endlessly', makeForms(30)],
])('a PDF is read in good time even if it has %s', async (_, file) => {
  await expect(readPdf(file)).resolves.toHaveProperty('ok', true);
});

async function readLong(length: number) {
  const pages = Array.from({ length }, (_, at) =>
    lines(500, [`Page x${at}y ${'holds these words only. '.repeat(2)}`]),
  );
  const result = await readPdf(makePdf(pages));
  if (!result.ok) throw new Error(result.reason);
  return { ...result, text: result.sections.map(({ content }) => content).join('\n') };
}

it(`a PDF is read up to page ${MAX_PAGES}, and the result names the last page`, async () => {
  const { text, cut } = await readLong(MAX_PAGES + 5);
  expect(text).toContain(`x${MAX_PAGES - 1}y`);
  expect(text).not.toContain(`x${MAX_PAGES}y`);
  expect(cut).toEqual({ lastPage: MAX_PAGES, pages: MAX_PAGES + 5 });
  expect(await readLong(40)).not.toHaveProperty('cut');
});

it('a PDF is read until the time limit, and the pages read by then are kept', async () => {
  // Each reading of the clock takes a second.
  let seconds = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    seconds += 1;
    return seconds * 1_000;
  });
  const { text } = await readLong(50).finally(() => vi.restoreAllMocks());
  expect(text).toContain('x20y');
  expect(text).not.toContain('x35y');
});

it('a PDF can be laid out from the pages read so far', async () => {
  const parts: PdfPart[] = [];
  await readPdf(makePdf([FILLING, FILLING, FILLING]), false, (part) => parts.push(part));
  const result = layOutPdf(parts.slice(0, 3));
  expect(result).toMatchObject({ ok: true, cut: { lastPage: 2, pages: 3 } });
  expect(layOutPdf([])).toEqual({ ok: false, reason: 'failed conversion' });
});
