import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { VENUES } from '../../src/areas/markets/sources/venues.ts';
import { operations } from '../../src/operations.ts';

const FOLDER = fileURLToPath(new URL('../../src/doors/views/', import.meta.url));

const shared = {
  outdir: FOLDER,
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // Its sources omit extensions that make up a fifth of the published file.
  alias: { temml: 'temml/temml.js' },
} as const satisfies BuildOptions;

const venues = {
  QUANTSHELF_VENUES: JSON.stringify(VENUES.map(({ title }) => title).join(', ')),
};

/** Writes the views for MCP hosts and the web page into a directory; returns their inputs. */
export async function buildViews(directory: string, version: string) {
  const names = ['view', 'papers'] as const;
  const views = await Promise.all(names.map((name) => renderView(name, version)));
  for (const [at, { html }] of views.entries())
    writeFileSync(join(directory, `${names[at]}.html`), html);
  const page = join(directory, 'views');
  mkdirSync(page, { recursive: true });
  const html = readFileSync(join(FOLDER, 'page.html'), 'utf8').replace(/^ +/gm, '');
  writeFileSync(join(page, 'index.html'), html);
  cpSync(join(FOLDER, 'icon.svg'), join(page, 'icon.svg'));
  const tools = operations.map((operation) => {
    const { name, method, path, price } = operation;
    return { name, method, path, price };
  });
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [join(FOLDER, 'page.ts'), join(FOLDER, 'page.css')],
    // The formula library becomes its own file, loaded with the first paper that has a formula.
    splitting: true,
    chunkNames: '[name]',
    define: {
      ...venues,
      QUANTSHELF_HAS_FORMULAS: 'true',
      // esbuild would put an object into a file of its own.
      QUANTSHELF_TOOLS: JSON.stringify(JSON.stringify(tools)),
    },
  });
  for (const { path, contents } of outputFiles)
    writeFileSync(join(page, path.slice(FOLDER.length)), contents);
  return [...views.map((view) => view.metafile), metafile];
}

/** A view as a self-contained HTML document with its script and style. */
export async function renderView(name: 'view' | 'papers', version: string) {
  const prices = Object.fromEntries(operations.map(({ name, price }) => [name, price]));
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [join(FOLDER, 'host.ts'), join(FOLDER, 'views.css')],
    define: {
      ...venues,
      QUANTSHELF_HAS_FORMULAS: String(name === 'papers'),
      QUANTSHELF_PRICES: JSON.stringify(prices),
      QUANTSHELF_VERSION: JSON.stringify(version),
    },
  });
  const textOf = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? '';
  const html = readFileSync(join(FOLDER, 'view.html'), 'utf8')
    .replace('<style></style>', () => `<style>${textOf('.css')}</style>`)
    .replace(
      '<script type="module"></script>',
      () => `<script type="module">${textOf('.js')}</script>`,
    );
  return { html, metafile };
}
