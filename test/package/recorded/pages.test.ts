import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { type Page, readHtml, readPage } from '../../../src/areas/papers/full-text/html/html.ts';
import { describeShared } from '../../shared.ts';
import { page } from '../../unit/areas/papers/full-text/html/paper.ts';
import { formulasOfMarkdown, formulasOfPage, headingsOfPage, plainWords } from './formulas.ts';
import { expectClean, summarise, wholeOf } from './readings.ts';
import { surplus, wordsOfMarkdown, wordsOfPage } from './words.ts';

/** Recorded pages that are complete papers. */
const PAPERS = [
  'ar5iv-1904.07818',
  'latexml-0903.1000',
  'latexml-1707.08043',
  'latexml-astro-ph9710163',
  'latexml087-1709.07020',
  'latexml087-1803.07574',
  'latexml087-2004.14974',
];

/** The number of a heading, or of a section's title. */
const NUMBER = /^(?:#+ )?(?:Appendix )?[\dA-Z.]+ /;

const CODE = /(?<=```text\n)[\s\S]*?(?=```)/g;

/**
 * Titles of our own, the first letter of a label, the argument of a command that failed, the steps
 * of an algorithm, TeX of a listing, a heading without text below it, and a cell ("Open") that
 * claims more rows than its table has.
 */
const EXPLAINED = new Set(
  `Front matter Figures and tables Acknowledgements Keywords keywords References
   while require ensure else endif endwhile return flip operatorname geq leftarrow ldots sim Open`.split(
    /\s+/,
  ),
);

describeShared('recorded pages of papers', 'data/papers/html', (directory) => {
  const load = (name: string) => readFileSync(join(directory, `${name}.html`), 'utf8');

  describe.each(PAPERS)('%s', (name) => {
    const html = load(name);
    const reading = readHtml(html);
    const sections = reading.ok ? reading.sections : [];
    const tree = parse(html);

    it('reads', () => {
      expect(reading.ok).toBe(true);
      expectClean(wholeOf(sections));
    });

    it('has every formula exactly once', () => {
      const expected = formulasOfPage(tree);
      const found = formulasOfMarkdown(wholeOf(sections));
      expect(found.inline).toEqual(expected.inline);
      expect(found.rows).toEqual(expected.rows);
      for (const tex of expected.bare) expect(found.bare.join('\n')).toContain(tex);
    });

    it('has every word as often as the page', () => {
      const [words, found] = [wordsOfPage(tree), wordsOfMarkdown(wholeOf(sections))];
      const listed = wordsOfMarkdown([...wholeOf(sections).matchAll(CODE)].join('\n'));
      for (const [word, count] of listed) found.set(word, (found.get(word) ?? 0) + count);
      expect(surplus(words, found).filter((word) => !EXPLAINED.has(word))).toEqual([]);
      expect(surplus(found, words).filter((word) => !EXPLAINED.has(word))).toEqual([]);
    });

    it('has every heading', () => {
      const text = sections.map(({ title, content }) => `${title}\n${content}`).join('\n');
      const lines = new Set(
        text.split('\n').flatMap((line) => {
          const [bold = ''] = /^\*\*.*?\*\*/.exec(line) ?? [];
          return [line, line.replace(NUMBER, ''), bold, bold.replace(/[\d.]+/g, '')].map(
            plainWords,
          );
        }),
      );
      const missing = headingsOfPage(tree).filter(
        (words) => !lines.has(words) && !text.includes(`**${words}`),
      );
      expect(missing.filter((words) => !isNamedBold(words, text))).toEqual([]);
    });

    it('matches the approved reading', async () => {
      await expect(`${JSON.stringify(sections.map(summarise), null, 2)}\n`).toMatchFileSnapshot(
        `goldens/${name}.json`,
      );
    });
  });

  it('detects a failed conversion', () => {
    expect(readHtml(load('latexml087-2509.17765'))).toEqual({
      ok: false,
      reason: 'failed conversion',
    });
  });

  it('reads a page of a megabyte', () => {
    const article = /<article[^>]*>([\s\S]*)<\/article>/.exec(load('latexml087-2004.14974'))?.[1];
    const html = page((article ?? '').repeat(4));
    expect(html.length).toBeGreaterThan(1_000_000);
    expect(readHtml(html).ok).toBe(true);
  });
});

/** A keyword line has the heading's words, with its own first letter and punctuation. */
function isNamedBold(words: string, text: string): boolean {
  return text.toLowerCase().includes(`**${words.toLowerCase()}`);
}

describeShared('small recorded pages', 'data/papers/html', (directory) => {
  const files = ['structures', 'snippets'].flatMap((folder) =>
    readdirSync(join(directory, folder)).map((file) => join(directory, folder, file)),
  );

  it('are there', () => {
    expect(files.length).toBeGreaterThan(90);
  });

  it.each(files.map((file) => [basename(file), file]))('%s reads cleanly', (_, file) => {
    const html = readFileSync(file, 'utf8');
    const read: Page | string = readPage(html);
    if (typeof read === 'string') return;
    const text = wholeOf(read.sections);
    expectClean(text);
    const found = formulasOfMarkdown(text);
    const expected = formulasOfPage(parse(html));
    expect(found.inline).toEqual(expected.inline);
    expect(found.rows).toEqual(expected.rows);
  });
});
