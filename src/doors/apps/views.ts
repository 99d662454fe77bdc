import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { filesChanged } from '../../core/errors.ts';
import { CHARTS, type Chart, type Operation } from '../../core/operation.ts';

/*
 * MCP Apps (extension io.modelcontextprotocol/ui, specification 2026-01-26): a tool names an HTML
 * document, and a host that can show it does so beside the tool's reply. Others ignore the name.
 */

const EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
/** A view changes with the program alone. */
const CACHE_MS = 60 * 60 * 1_000;

/** The built views, beside the program. */
const DIRECTORY = new URL('./apps/', import.meta.url);

const VIEWS: Readonly<Record<Chart, { title: string; description: string }>> = {
  macro: {
    title: 'Chart of a macro indicator',
    description: 'Draws a history: the line with its gaps, values by date, ranges and the source.',
  },
  odds: {
    title: 'Odds of prediction-market events',
    description: 'Draws events: a bar for each outcome, volumes, dates and the age of the odds.',
  },
};

/** What the listing of a tool says of its chart; nothing for operations without one. */
export function chartMeta({ chart }: Operation): Record<string, unknown> {
  if (chart === undefined) return {};
  const resourceUri = uriOf(chart);
  // The flat key is that of the first drafts, which some hosts still read.
  return { ui: { resourceUri }, 'ui/resourceUri': resourceUri };
}

/** Announces the extension and registers the views, each read from its file when a host asks for it. */
export function registerViews(server: McpServer): void {
  server.server.registerCapabilities({
    extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } },
  });
  for (const chart of CHARTS) {
    const uri = uriOf(chart);
    server.registerResource(
      `${chart}-chart`,
      uri,
      {
        ...VIEWS[chart],
        mimeType: MIME_TYPE,
        cacheHint: { ttlMs: CACHE_MS, cacheScope: 'public' },
      },
      async () => ({
        contents: [
          {
            uri,
            mimeType: MIME_TYPE,
            text: await readView(chart),
            _meta: { ui: { prefersBorder: true } },
          },
        ],
      }),
    );
  }
}

/** The document of a chart; no path is told to the client. */
async function readView(chart: Chart): Promise<string> {
  return readFile(new URL(`${chart}.html`, DIRECTORY), 'utf8').catch((cause: unknown) => {
    throw filesChanged(cause);
  });
}

function uriOf(chart: Chart): string {
  return `ui://quantshelf/${chart}.html`;
}
