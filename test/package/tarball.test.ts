import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { extract } from 'tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome, root } from '../e2e/support.ts';
import { type Packed, pack, report } from './support.ts';

const place = makeHome();
let tarball: Packed;

beforeAll(async () => {
  tarball = await pack();
  await extract({ file: tarball.file, cwd: place });
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  report(`${megabytes(tarball.size)} packed, ${megabytes(tarball.unpackedSize)} unpacked`);
});

describe('the npm tarball', () => {
  it('contains the whole build and the pages, but no sources or tests', () => {
    const paths = tarball.files.map(({ path }) => path);
    const pages = readdirSync(join(root, 'docs')).map((name) => `docs/${name}`);
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/quantshelf.js',
      ...pages.sort(),
      'package.json',
    ]);
    expect(paths.filter((path) => path.startsWith('dist/')).sort()).toEqual(
      readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .sort(),
    );
    expect(paths).toContain('dist/starter.sqlite');
    expect(paths).toContain('dist/views/index.html');
    for (const path of paths) {
      expect(path).not.toMatch(
        /\.(ts|map|tmp|building)$|\.sqlite-|(^|\/)(test|src|data|scripts)\//,
      );
    }
  });

  it('is about as large as docs/benchmarks.md says', () => {
    const page = readFileSync(join(root, 'docs', 'benchmarks.md'), 'utf8');
    const [, packed, unpacked] = /is ([\d.]+) MB packed and ([\d.]+) MB unpacked/.exec(page) ?? [];
    expect(Math.abs(tarball.size / 1e6 - Number(packed))).toBeLessThan(1);
    expect(Math.abs(tarball.unpackedSize / 1e6 - Number(unpacked))).toBeLessThan(2);
  });

  it('contains every page and file that its pages link to', () => {
    const paths = tarball.files.map(({ path }) => path);
    const links = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => {
        const text = readFileSync(join(place, 'package', path), 'utf8');
        return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
          join(dirname(path), target),
        );
      });
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((target) => !paths.includes(target))).toEqual([]);
  });

  it('contains no absolute path of the checkout that it was built from', () => {
    for (const { path } of tarball.files) {
      const content = readFileSync(join(place, 'package', path));
      for (const folder of ['src', 'dist', 'node_modules', 'data', 'scripts']) {
        expect(content.includes(join(root, folder)), `${path} names ${folder}`).toBe(false);
      }
    }
  });
});
