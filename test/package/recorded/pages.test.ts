import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readHtml, readPage } from '../../../src/areas/papers/full-text/html/html.ts';
import { describeShared } from '../../shared.ts';
import { expectClean, hashOf, outlineOf } from './readings.ts';

/** Whole papers, as rendered by arXiv, ar5iv and LaTeXML since 2009. */
const GOLDENS = readdirSync(join(import.meta.dirname, 'goldens')).filter(
  (name) => !/^(?:pdf-|small)/.test(name),
);

describeShared('a recorded page', 'data/papers/html', (directory) => {
  const load = (file: string) => {
    const bytes = readFileSync(join(directory, file));
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };

  it.each(GOLDENS)('has the outline approved in %s', async (golden) => {
    const name = basename(golden, '.txt');
    const isReal = name.startsWith('real-');
    const html = load(isReal ? `real/${name.slice('real-'.length)}.html.gz` : `${name}.html`);
    const result = readHtml(html);
    if (!result.ok) throw new Error(result.reason);
    const { sections } = result;
    const whole = sections.map(({ title, content }) => `# ${title}\n\n${content}`).join('\n\n');
    expectClean(whole);
    const outline = `${outlineOf(sections).join('\n')}\n`;
    await expect(outline).toMatchFileSnapshot(`goldens/${golden}`);
  });

  it('matches its approved hash if it is small', async () => {
    const files = ['structures', 'snippets'].flatMap((folder) =>
      readdirSync(join(directory, folder)).map((file) => join(folder, file)),
    );
    expect(files.length).toBeGreaterThan(90);
    const lines = files.sort().map((file) => {
      const result = readPage(load(file));
      if (typeof result === 'string') return `${basename(file)}: ${result}`;
      const text = result.sections
        .map(({ title, content }) => `${title}\n\n${content}`)
        .join('\n\n');
      expectClean(text);
      return `${basename(file)}: ${result.sections.length} sections, ${hashOf(text)}`;
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('goldens/small.txt');
  });

  it("is refused if its conversion failed, and is read without arXiv's alerts", () => {
    const result = readHtml(load('latexml087-2509.17765.html'));
    expect(result).toEqual({ ok: false, reason: 'failed conversion' });
    const [alerts, plain] = ['alerts-2510.11260', '2510.11260'].map((name) =>
      readHtml(load(`real/${name}.html.gz`)),
    );
    expect(alerts).toEqual(plain);
  });
});
