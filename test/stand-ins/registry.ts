import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { list } from 'tar';
import { end, listen } from './upstream.ts';

export interface Registry {
  /** Base URL with a trailing slash, like npm's `registry`. */
  url: string;
  close(): Promise<void>;
}

/** An npm registry with one package of ours that forwards all other requests to `upstream`. */
export async function startRegistry(tarball: string, upstream: string): Promise<Registry> {
  const body = readFileSync(tarball);
  const files = await readText(tarball, ['package/package.json']);
  const manifest = JSON.parse(files.get('package/package.json') ?? '');
  const { name, version } = manifest;
  const path = `/${name}/-/${name}-${version}.tgz`;
  const server = createServer((request, response) => {
    if (request.url === path) response.end(body);
    else if (request.url === `/${name}`) response.end(JSON.stringify(packument()));
    else response.writeHead(307, { location: new URL(`.${request.url}`, upstream).href }).end();
  });
  const url = `${await listen(server)}/`;

  /** As the registry derives it from a published package. */
  function packument() {
    const dist = {
      tarball: new URL(`.${path}`, url).href,
      integrity: `sha512-${createHash('sha512').update(body).digest('base64')}`,
    };
    const versions = { [version]: { ...manifest, dist } };
    return { name, 'dist-tags': { latest: version }, versions };
  }

  return { url, close: () => end(server) };
}

async function readText(tarball: string, paths: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const reading: Promise<void>[] = [];
  await list({
    file: tarball,
    filter: (path) => paths.includes(path),
    onReadEntry: (entry) => {
      reading.push(entry.concat().then((data) => void found.set(entry.path, data.toString())));
    },
  });
  await Promise.all(reading);
  return found;
}
