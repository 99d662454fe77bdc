import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import type { Tarball } from '../../../src/embedding/pinned.ts';
import { putFiles } from './tiny-model.ts';

type Contents = Readonly<Record<string, Buffer | string>>;

/** Packages as a registry has them: tarballs by path. */
export interface Packages {
  tarballs: Map<string, Buffer>;
  /** Packs what `contents` and `fill` put into the folder; version 9.9.9 unless the name says another. */
  pack(
    name: string,
    contents: Contents,
    more?: { folder?: string; entries?: string[]; fill?: (folder: string) => Promise<void> },
  ): Promise<Tarball>;
  send(path: string, response: ServerResponse): void;
}

export function createPackages(): Packages {
  const tarballs = new Map<string, Buffer>();
  return {
    tarballs,
    async pack(name, contents, { folder = 'package', entries = ['package'], fill } = {}) {
      const source = await mkdtemp(join(tmpdir(), 'quantshelf-package-'));
      const files = Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]);
      await putFiles(join(source, 'in', folder), Object.fromEntries(files));
      await fill?.(join(source, 'in', folder));
      const file = join(source, 'x.tgz');
      const cwd = join(source, 'in');
      await create({ file, cwd, gzip: true, portable: true, preservePaths: true }, entries);
      const tarball = await readFile(file);
      await rm(source, { recursive: true });
      tarballs.set(`/${name}/-/${name}-9.9.9.tgz`, tarball);
      const sha512 = createHash('sha512').update(tarball).digest('base64');
      return { name, version: '9.9.9', bytes: tarball.length, sha512, folder };
    },
    send(path, response) {
      const tarball = tarballs.get(path);
      if (tarball === undefined) response.writeHead(404).end('no such page');
      else response.end(tarball);
    },
  };
}
