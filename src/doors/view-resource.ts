import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { filesChanged } from '../core/errors.ts';
import type { Operation } from '../core/operation.ts';

/*
 * MCP Apps (extension io.modelcontextprotocol/ui, specification 2026-01-26): a tool names an HTML
 * document, and a host that can show it does so beside the tool's reply. Others ignore the name.
 */

const EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
/** The view changes with the program alone. */
const CACHE_MS = 60 * 60 * 1_000;

const URI = 'ui://quantshelf/view.html';

/** The built view, beside the program. */
const FILE = new URL('./view.html', import.meta.url);

/** What the listing of a tool says of the view; nothing for operations whose answers are not drawn. */
export function viewMeta({ isDrawn }: Operation): Record<string, unknown> {
  if (isDrawn !== true) return {};
  // The flat key is that of the first drafts, which some hosts still read.
  return { ui: { resourceUri: URI }, 'ui/resourceUri': URI };
}

/** Announces the extension and registers the view, which is read from its file when a host asks for it. */
export function registerView(server: McpServer): void {
  server.server.registerCapabilities({
    extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } },
  });
  server.registerResource(
    'view',
    URI,
    {
      title: 'View of an answer',
      description:
        'Draws papers, histories and events for the user, each with its dates and its source.',
      mimeType: MIME_TYPE,
      cacheHint: { ttlMs: CACHE_MS, cacheScope: 'public' },
    },
    async () => {
      const text = await readFile(FILE, 'utf8').catch((cause: unknown) => {
        // No path is told to the client.
        throw filesChanged(cause);
      });
      const _meta = { ui: { prefersBorder: true } };
      return { contents: [{ uri: URI, mimeType: MIME_TYPE, text, _meta }] };
    },
  );
}
