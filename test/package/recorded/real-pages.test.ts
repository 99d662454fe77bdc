import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../src/areas/papers/full-text/html/html.ts';
import { describeShared } from '../../shared.ts';
import { type Counts, countPage } from './page-counts.ts';
import { expectClean, summarise } from './readings.ts';

/** Pages as written by arXiv, ar5iv and LaTeXML between 2014 and 2026, none made for a test. */
const PAGES = [
  '1311.0066',
  '1706.03762v7-oxide',
  '1810.04805-bert',
  '2407.16314v1',
  '2501.11120v1',
  '2510.11260',
  'ar5iv-2201.00020',
  // An icon of an unknown package, 306 times.
  'ar5iv-2311.03220',
  // Sections nested in floats.
  'ar5iv-2402.08189',
  'ar5iv-2402.14871',
  'ar5iv-2407.00121',
  'ar5iv-2602.02868',
  'latexml-2310.06825',
  'latexml-math.0106220',
];

/** One-word headings without text: of a dropped contents list, of an empty bibliography. */
const BARE_HEADINGS: Readonly<Record<string, number>> = {
  '1311.0066': 1,
  'latexml-2310.06825': 1,
};

/** Tall cells of a nested table, which are written only once in its fenced text. */
const TALL_CELLS: Readonly<Record<string, number>> = {
  '2501.11120v1': 8,
  'ar5iv-2311.03220': 24,
};

describeShared('real pages', 'data/papers/html/real', (directory) => {
  const load = (file: string) => gunzipSync(readFileSync(join(directory, `${file}.gz`))).toString();
  const read = (file: string, html = load(file)) => {
    const reading = readHtml(html);
    if (!reading.ok) throw new Error(`${file}: ${reading.reason}`);
    return reading.sections;
  };
  const pages = new Map(
    PAGES.map((name) => {
      const html = load(`${name}.html`);
      const sections = read(name, html);
      const whole = sections.map(({ title, content }) => `# ${title}\n\n${content}`).join('\n\n');
      return [name, { sections, counts: countPage(html, whole) }];
    }),
  );
  const pageOf = (name: string) => pages.get(name) ?? missing(name);

  describe.each(PAGES)('%s', (name) => {
    it('matches the approved reading', async () => {
      const { sections } = pageOf(name);
      expectClean(sections.map(({ content }) => content).join('\n\n'));
      await expect(`${JSON.stringify(sections.map(summarise), null, 2)}\n`).toMatchFileSnapshot(
        `goldens/real-${name}.json`,
      );
    });

    it('has the content of the page', () => {
      const { words, extra, formulas, headings, cells, ...exact } = pageOf(name).counts;
      expect(words.page - words.found).toBe(BARE_HEADINGS[name] ?? 0);
      // Tall cells are repeated in each of their rows, and some titles are ours.
      expect(extra / words.page).toBeLessThan(0.004);
      expect(formulas.found).toBe(formulas.page);
      expect(headings.page - headings.found).toBe(BARE_HEADINGS[name] ?? 0);
      expect(cells.page - cells.found).toBe(TALL_CELLS[name] ?? 0);
      for (const { page, found } of Object.values(exact)) expect(found).toBe(page);
    });
  });

  it('are all counted', async () => {
    const lines = PAGES.map((name) => lineOf(name, pageOf(name).counts));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('goldens/real-coverage.txt');
  });

  it('is the same paper below an alert', () => {
    expect(read('alerts-2510.11260.html')).toEqual(pageOf('2510.11260').sections);
  });
});

function missing(name: string): never {
  throw new Error(`${name} was not counted`);
}

function lineOf(name: string, { words, extra, ...rest }: Counts): string {
  const parts = Object.entries(rest).map(([what, { page, found }]) => `${what} ${found}/${page}`);
  return [`${name}: words ${words.found}/${words.page} (${extra} more)`, ...parts].join(', ');
}
