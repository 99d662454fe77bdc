import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { VENUES } from '../../src/areas/markets/sources/venues.ts';
import { operations } from '../../src/operations.ts';

const SOURCES = fileURLToPath(new URL('../../src/doors/views/', import.meta.url));

const shared = {
  outdir: SOURCES,
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const venues = {
  QUANTSHELF_VENUES: JSON.stringify(VENUES.map(({ title }) => title).join(', ')),
};

/** Writes the view for MCP hosts and the page for people into a directory; what went into them. */
export async function buildViews(directory: string, version: string) {
  const view = await renderView(version);
  writeFileSync(join(directory, 'view.html'), view.html);
  const page = join(directory, 'views');
  mkdirSync(page, { recursive: true });
  const html = readFileSync(join(SOURCES, 'page.html'), 'utf8').replace(/^ +/gm, '');
  writeFileSync(join(page, 'index.html'), html);
  cpSync(join(SOURCES, 'icon.svg'), join(page, 'icon.svg'));
  const tools = operations.map((operation) => {
    const { name, method, path, price } = operation;
    return { name, method, path, price };
  });
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [join(SOURCES, 'page.ts'), join(SOURCES, 'page.css')],
    define: { ...venues, QUANTSHELF_TOOLS: JSON.stringify(tools) },
  });
  for (const { path, contents } of outputFiles)
    writeFileSync(join(page, path.slice(SOURCES.length)), contents);
  return [view.metafile, metafile];
}

/** The view as one HTML document with its script and style, which refers to nothing outside of it. */
export async function renderView(version: string) {
  const prices = Object.fromEntries(operations.map(({ name, price }) => [name, price]));
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [join(SOURCES, 'host.ts'), join(SOURCES, 'views.css')],
    define: {
      ...venues,
      QUANTSHELF_PRICES: JSON.stringify(prices),
      QUANTSHELF_VERSION: JSON.stringify(version),
    },
  });
  const textOf = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? '';
  const html = readFileSync(join(SOURCES, 'view.html'), 'utf8')
    .replace('<style></style>', () => `<style>${textOf('.css')}</style>`)
    .replace(
      '<script type="module"></script>',
      () => `<script type="module">${textOf('.js')}</script>`,
    );
  return { html, metafile };
}
