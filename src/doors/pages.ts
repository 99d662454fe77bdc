import { readFileSync } from 'node:fs';
import type { Operation } from '../core/operation.ts';
import type { Page } from './http/app.ts';
import { openApiDocument } from './http/openapi/document.ts';

/** The page for people, beside this file in the sources and beside the program in the build. */
const DIRECTORY = new URL('./page/', import.meta.url);
const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;
type Kind = keyof typeof TYPES;
const FILES: readonly (readonly [name: string, kind: Kind])[] = [
  ['icon', 'svg'],
  ...(['page', 'forms', 'cards', 'plot'] as const).map((name) => [name, 'css'] as const),
  ...(
    [
      'answers',
      'api',
      'dom',
      'ends',
      'events',
      'format',
      'histories',
      'indicator',
      'legend',
      'lines',
      'operations',
      'outcomes',
      'page',
      'papers',
      'picker',
      'plot',
      'reader',
      'scales',
      'search',
      'summary',
    ] as const
  ).map((name) => [name, 'js'] as const),
];

/** Documents that need no key, by path: the page for people with its files, and /openapi.json. */
export function publicPages(table: readonly Operation[], version: string): Record<string, Page> {
  const document = JSON.stringify(openApiDocument(table, { version }));
  return {
    '/': readPage('index', 'html'),
    ...Object.fromEntries(
      FILES.map(([name, kind]) => [`/page/${name}.${kind}`, readPage(name, kind)]),
    ),
    '/openapi.json': { body: document, contentType: 'application/json' },
  };
}

function readPage(name: string, kind: Kind): Page {
  return {
    body: readFileSync(new URL(`${name}.${kind}`, DIRECTORY), 'utf8'),
    contentType: TYPES[kind],
  };
}
