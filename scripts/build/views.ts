import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { CHARTS, type Chart } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';

const SOURCES = fileURLToPath(new URL('../../src/doors/apps/', import.meta.url));

/** Writes every view that an MCP host can show into a directory, each as one file. */
export async function buildViews(directory: string, version: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const chart of CHARTS) {
    writeFileSync(join(directory, `${chart}.html`), await renderView(chart, version));
  }
}

/** A view as one HTML document with its script and style, which refers to nothing outside of it. */
export async function renderView(chart: Chart, version: string): Promise<string> {
  const prices = Object.fromEntries(operations.map(({ name, price }) => [name, price]));
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, `${chart}.js`), join(SOURCES, `${chart}.css`)],
    outdir: SOURCES,
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    define: {
      QUANTSHELF_PRICES: JSON.stringify(prices),
      QUANTSHELF_VERSION: JSON.stringify(version),
    },
    logLevel: 'warning',
  });
  const textOf = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? '';
  return readFileSync(join(SOURCES, 'view.html'), 'utf8')
    .replace('<style></style>', () => `<style>${textOf('.css')}</style>`)
    .replace('<script></script>', () => `<script>${textOf('.js')}</script>`);
}
