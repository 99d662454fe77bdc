import { readFileSync } from 'node:fs';
import type { Operation } from '../core/operation.ts';
import type { Page } from './http.ts';
import { openApiDocument } from './openapi.ts';

/** The page for people, beside this file in the sources and beside the program in the build. */
const DIRECTORY = new URL('./page', import.meta.url);
const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;
type Kind = keyof typeof TYPES;
const FILES: readonly (readonly [name: string, kind: Kind])[] = [
  ['page', 'css'],
  ['icon', 'svg'],
  ...(['page', 'api', 'dom', 'indicator', 'operations', 'plot', 'scales'] as const).map(
    (name) => [name, 'js'] as const,
  ),
];

/**
 * The page runs its own files and calls its own server, nothing else. Trusted Types leave it no way
 * to turn text into markup, so that nothing that was fetched can become part of it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** What anyone may read, by path: the page for people with its files, and /openapi.json. */
export function publicPages(table: readonly Operation[], version: string): Record<string, Page> {
  const document = JSON.stringify(openApiDocument(table, { version }));
  return {
    '/': readPage('index', 'html'),
    ...Object.fromEntries(
      FILES.map(([name, kind]) => [`/page/${name}.${kind}`, readPage(name, kind)]),
    ),
    '/openapi.json': { body: document, headers: {} },
  };
}

function readPage(name: string, kind: Kind): Page {
  return {
    body: readFileSync(new URL(`${name}.${kind}`, DIRECTORY), 'utf8'),
    headers: {
      'Content-Type': TYPES[kind],
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  };
}
