import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { end, listen } from './upstream.ts';

export interface Registry {
  /** Base URL with a trailing slash, like npm's `registry`. */
  url: string;
  close(): Promise<void>;
}

/** An npm registry that serves our packed package and redirects all other requests to `upstream`. */
export async function startRegistry(tarball: string, upstream: string): Promise<Registry> {
  const body = readFileSync(tarball);
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const { name, version } = manifest;
  const path = `/${name}/-/${name}-${version}.tgz`;
  const server = createServer((request, response) => {
    if (request.url === path) response.end(body);
    else if (request.url === `/${name}`) response.end(JSON.stringify(packument()));
    else response.writeHead(307, { location: new URL(`.${request.url}`, upstream).href }).end();
  });
  const url = `${await listen(server)}/`;

  /** The metadata that a registry derives from a published package. */
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
