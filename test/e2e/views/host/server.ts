import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { listen } from '../../../stand-ins/upstream.ts';

/** The policy that the specification prescribes for views that declare no domains. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'self'",
].join('; ');

export interface AppHost {
  url: string;
  sandboxUrl: string;
  close(): void;
}

/** A host page and its sandbox proxy, each on its own origin. */
export async function startAppHost(): Promise<AppHost> {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const sandbox = await serve(
    {
      '/': {
        body: '<!doctype html><meta charset="utf-8"><title>Sandbox</title><link rel="icon" href="data:,"><style>body{margin:0}iframe{display:block;width:100%;height:100vh;border:0}</style><body><script src="/sandbox.js"></script>',
        type: 'text/html',
      },
      '/sandbox.js': { body: read('sandbox.js'), type: 'text/javascript' },
    },
    { 'Content-Security-Policy': POLICY },
  );
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'host.js')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
  const host = await serve({
    '/': { body: read('host.html').replace('SANDBOX', sandbox.url), type: 'text/html' },
    '/host.js': { body: outputFiles[0]?.text ?? '', type: 'text/javascript' },
  });
  return {
    url: host.url,
    sandboxUrl: sandbox.url,
    close() {
      host.server.close();
      sandbox.server.close();
    },
  };
}

async function serve(
  files: Readonly<Record<string, { body: string; type: string }>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, { ...headers, 'Content-Type': `${file.type}; charset=utf-8` });
    return response.end(file.body);
  });
  return { url: `${await listen(server)}/`, server };
}
