import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Operation } from '../core/operation.ts';
import type { Page } from './http/app.ts';
import { openApiDocument } from './http/openapi/document.ts';

/** The page for people, beside this file in the sources and beside the program in the build. */
const DIRECTORY = new URL('./page/', import.meta.url);
const INDEX = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Documents that need no key, by path: the page for people with its files, and /openapi.json. */
export function publicPages(table: readonly Operation[], version: string): Record<string, Page> {
  const document = JSON.stringify(openApiDocument(table, { version }));
  const files = readdirSync(DIRECTORY).filter((name) => name !== INDEX && extname(name) in TYPES);
  return {
    '/': readPage(INDEX),
    ...Object.fromEntries(files.map((name) => [`/page/${name}`, readPage(name)])),
    '/openapi.json': { body: document, contentType: 'application/json' },
  };
}

function readPage(name: string): Page {
  return {
    body: readFileSync(new URL(name, DIRECTORY), 'utf8'),
    contentType: TYPES[extname(name)] ?? '',
  };
}
