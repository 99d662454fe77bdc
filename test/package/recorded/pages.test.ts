import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readHtml, readPage } from '../../../src/areas/papers/full-text/html/html.ts';
import { describeShared } from '../../shared.ts';
import { type Counts, countPage } from './page-counts.ts';
import { expectClean, hashOf, outlineOf } from './readings.ts';

/** Whole papers, as rendered by arXiv, ar5iv and LaTeXML since 2009. */
const GOLDENS = readdirSync(join(import.meta.dirname, 'goldens')).filter(
  (name) => !/^(?:pdf-|small)/.test(name),
);

function lineOf({ words, extra, formulas }: Counts): string {
  return `words ${words.found}/${words.page} (${extra} more), formulas ${formulas.found}/${formulas.page}`;
}

describeShared('recorded pages', 'data/papers/html', (directory) => {
  const load = (file: string) => {
    const bytes = readFileSync(join(directory, file));
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };

  it.each(GOLDENS)('%s is read completely, as its page shows it', async (golden) => {
    const name = basename(golden, '.txt');
    const isReal = name.startsWith('real-');
    const html = load(isReal ? `real/${name.slice('real-'.length)}.html.gz` : `${name}.html`);
    const reading = readHtml(html);
    if (!reading.ok) throw new Error(reading.reason);
    const { sections } = reading;
    const whole = sections.map(({ title, content }) => `# ${title}\n\n${content}`).join('\n\n');
    expectClean(whole);
    const counts = countPage(html, whole);
    // The counter handles pages from 2018 on; on older ones it misses formulas or everything.
    if (/^(?:real-|latexml087)/.test(golden)) {
      expect(counts.words.found / counts.words.page).toBeGreaterThan(0.998);
      expect(counts.extra / counts.words.page).toBeLessThan(0.005);
      expect(counts.formulas.found).toBe(counts.formulas.page);
    }
    const lines = [lineOf(counts), ...outlineOf(sections)];
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`goldens/${golden}`);
  });

  it('small pages read as approved', async () => {
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

  it("a failed conversion is recognised, and arXiv's alerts are removed", () => {
    const reading = readHtml(load('latexml087-2509.17765.html'));
    expect(reading).toEqual({ ok: false, reason: 'failed conversion' });
    const [alerts, plain] = ['alerts-2510.11260', '2510.11260'].map((name) =>
      readHtml(load(`real/${name}.html.gz`)),
    );
    expect(alerts).toEqual(plain);
  });
});
