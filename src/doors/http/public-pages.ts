import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { filesChanged } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { spellCommands } from '../../core/text.ts';
import type { Page } from './door.ts';
import { openApiDocument } from './openapi.ts';

/** The built page for people, beside the program. */
const DIRECTORY = new URL('./views/', import.meta.url);
const FILES: Readonly<Record<string, string>> = {
  '/': 'index.html',
  '/page/page.css': 'page.css',
  '/page/page.js': 'page.js',
  '/page/icon.svg': 'icon.svg',
};
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Documents that need no key, by path: the page for people with its files, and /openapi.json. Throws
 * `service_unavailable` where a file of the page is missing.
 */
export function publicPages(table: readonly Operation[], version: string): Record<string, Page> {
  const body = spellCommands(JSON.stringify(openApiDocument(table, { version })));
  try {
    return {
      '/openapi.json': { body, contentType: 'application/json' },
      ...Object.fromEntries(Object.entries(FILES).map(([path, name]) => [path, readPage(name)])),
    };
  } catch (cause) {
    throw filesChanged(cause);
  }
}

function readPage(name: string): Page {
  const text = readFileSync(new URL(name, DIRECTORY), 'utf8');
  const type = extname(name);
  return { body: type === '.html' ? spellCommands(text) : text, contentType: TYPES[type] ?? '' };
}
