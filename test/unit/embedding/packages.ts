import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { create } from 'tar';
import type { Tarball } from '../../../src/embedding/pinned.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { putFiles } from './tiny-model.ts';

type Contents = Readonly<Record<string, Buffer | string>>;

/** Packages as in a registry. */
export interface Packages {
  /** By path. */
  tarballs: Map<string, Buffer>;
  /** Metadata that npm reads first, by path; the paths of the tarballs are relative to `base`. */
  documents(base: string): Map<string, string>;
  /** Packs `contents` into the folder, as version 9.9.9. */
  pack(name: string, contents: Contents, folder?: string): Promise<Tarball>;
  send(path: string, response: ServerResponse): void;
}

export function createPackages(): Packages {
  const tarballs = new Map<string, Buffer>();
  return {
    tarballs,
    documents: (base) =>
      new Map(
        [...tarballs].map(([path, tarball]) => {
          const name = path.slice(1, path.indexOf('/-/'));
          const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
          const version = { name, version: '9.9.9', dist: { tarball: base + path, integrity } };
          const versions = { '9.9.9': version };
          const document = { name, 'dist-tags': { latest: '9.9.9' }, versions };
          return [`/${name.replace('/', '%2f')}`, JSON.stringify(document)];
        }),
      ),
    async pack(name, contents, folder = 'package') {
      const directory = temporaryDirectory();
      const [file, cwd] = [join(directory, 'x.tgz'), join(directory, 'in')];
      await putFiles(join(cwd, folder), contents);
      await create({ file, cwd, gzip: true, portable: true }, ['package']);
      const tarball = await readFile(file);
      tarballs.set(`/${name}/-/${basename(name)}-9.9.9.tgz`, tarball);
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
