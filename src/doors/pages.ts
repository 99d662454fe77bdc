import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { filesChanged } from '../core/errors.ts';
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

/** How the page and its files name each other. */
const REFERENCE = /"\/page\/([\w.-]+)"|'\.\/([\w.-]+)'/g;

/**
 * Documents that need no key, by path: the page for people with its files, and /openapi.json. Throws
 * `service_unavailable` where a file of the page is missing.
 */
export function publicPages(table: readonly Operation[], version: string): Record<string, Page> {
  const document = JSON.stringify(openApiDocument(table, { version }));
  const pages: Record<string, Page> = {
    '/openapi.json': { body: document, contentType: 'application/json' },
  };
  const add = (path: string, name: string) => {
    if (path in pages) return;
    const body = readFileSync(new URL(name, DIRECTORY), 'utf8');
    pages[path] = { body, contentType: TYPES[extname(name)] ?? '' };
    for (const [, linked, imported = ''] of body.matchAll(REFERENCE)) {
      add(`/page/${linked ?? imported}`, linked ?? imported);
    }
  };
  try {
    add('/', INDEX);
  } catch (cause) {
    throw filesChanged(cause);
  }
  return pages;
}
