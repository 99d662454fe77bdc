import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readHtml, readPage } from '../../../src/areas/papers/full-text/html/html.ts';
import { describeShared } from '../../shared.ts';
import { page } from '../../unit/areas/papers/full-text/html/paper.ts';
import { type Counts, countPage } from './page-counts.ts';
import { expectClean, hashOf, outlineOf } from './readings.ts';

/** Whole papers, as arXiv, ar5iv and LaTeXML have written them since 2009; their goldens. */
const PAPERS: Readonly<Record<string, string>> = {
  'ar5iv-1904.07818.html': 'ar5iv-1904.07818',
  'latexml-0903.1000.html': 'latexml-0903.1000',
  'latexml-1707.08043.html': 'latexml-1707.08043',
  'latexml-astro-ph9710163.html': 'latexml-astro-ph9710163',
  'latexml087-1709.07020.html': 'latexml087-1709.07020',
  'latexml087-1803.07574.html': 'latexml087-1803.07574',
  'latexml087-2004.14974.html': 'latexml087-2004.14974',
  'real/1311.0066.html.gz': 'real-1311.0066',
  'real/1706.03762v7-oxide.html.gz': 'real-1706.03762v7-oxide',
  'real/1810.04805-bert.html.gz': 'real-1810.04805-bert',
  'real/2407.16314v1.html.gz': 'real-2407.16314v1',
  'real/2501.11120v1.html.gz': 'real-2501.11120v1',
  'real/2510.11260.html.gz': 'real-2510.11260',
  'real/alerts-2510.11260.html.gz': 'real-2510.11260',
  'real/ar5iv-2201.00020.html.gz': 'real-ar5iv-2201.00020',
  'real/ar5iv-2311.03220.html.gz': 'real-ar5iv-2311.03220',
  'real/ar5iv-2402.08189.html.gz': 'real-ar5iv-2402.08189',
  'real/ar5iv-2402.14871.html.gz': 'real-ar5iv-2402.14871',
  'real/ar5iv-2407.00121.html.gz': 'real-ar5iv-2407.00121',
  'real/ar5iv-2602.02868.html.gz': 'real-ar5iv-2602.02868',
  'real/latexml-2310.06825.html.gz': 'real-latexml-2310.06825',
  'real/latexml-math.0106220.html.gz': 'real-latexml-math.0106220',
};

function lineOf({ words, extra, formulas }: Counts): string {
  return `words ${words.found}/${words.page} (${extra} more), formulas ${formulas.found}/${formulas.page}`;
}

describeShared('recorded pages', 'data/papers/html', (directory) => {
  const load = (file: string) => {
    const bytes = readFileSync(join(directory, file));
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };

  it.each(Object.entries(PAPERS))('%s reads as approved', async (file, golden) => {
    const html = load(file);
    const reading = readHtml(html);
    if (!reading.ok) throw new Error(reading.reason);
    const { sections } = reading;
    const whole = sections.map(({ title, content }) => `# ${title}\n\n${content}`).join('\n\n');
    expectClean(whole);
    const counts = countPage(load(file.replace('alerts-', '')), whole);
    // The counter knows pages of 2018 and later; of older ones it misses formulas, or all.
    if (/^(?:real-|latexml087)/.test(golden)) {
      expect(counts.words.found / counts.words.page).toBeGreaterThan(0.998);
      expect(counts.extra / counts.words.page).toBeLessThan(0.005);
      expect(counts.formulas.found).toBe(counts.formulas.page);
    }
    const lines = [lineOf(counts), ...outlineOf(sections)];
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`goldens/${golden}.txt`);
  });

  it('read as approved if they are small', async () => {
    const files = ['structures', 'snippets'].flatMap((folder) =>
      readdirSync(join(directory, folder)).map((file) => join(folder, file)),
    );
    expect(files.length).toBeGreaterThan(90);
    const lines = files.sort().map((file) => {
      const reading = readPage(load(file));
      if (typeof reading === 'string') return `${basename(file)}: ${reading}`;
      const text = reading.sections
        .map(({ title, content }) => `${title}\n\n${content}`)
        .join('\n\n');
      expectClean(text);
      return `${basename(file)}: ${reading.sections.length} sections, ${hashOf(text)}`;
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('goldens/small.txt');
  });

  it('reveal a failed conversion', () => {
    const reading = readHtml(load('latexml087-2509.17765.html'));
    expect(reading).toEqual({ ok: false, reason: 'failed conversion' });
  });

  it('reads a page of a megabyte', () => {
    const article = /<article[^>]*>([\s\S]*)<\/article>/.exec(load('latexml087-2004.14974.html'));
    const html = page((article?.[1] ?? '').repeat(4));
    expect(html.length).toBeGreaterThan(1_000_000);
    expect(readHtml(html).ok).toBe(true);
  });
});
