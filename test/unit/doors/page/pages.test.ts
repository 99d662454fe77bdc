import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { expect, it } from 'vitest';
import { publicPages } from '../../../../src/doors/pages.ts';

it('the page is served with every file that it needs, and no other is kept beside it', () => {
  const files = readdirSync('src/doors/page').filter((name) => extname(name) !== '.json');
  const paths = files.map((name) => (name === 'index.html' ? '/' : `/page/${name}`));
  expect(Object.keys(publicPages([], '1.2.3')).sort()).toEqual([...paths, '/openapi.json'].sort());
});
