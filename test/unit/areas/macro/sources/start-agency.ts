import { max } from 'd3-array';
import { onTestFinished } from 'vitest';
import type {
  AgencySeries,
  Figure,
  StoredFigures,
} from '../../../../../src/areas/macro/sources/feed.ts';
import { makeClient, startServer } from '../../../upstream/server.ts';

/** The real client without its pauses, closed after the test. */
export function startClient({ tries = 2, onPause = (_: string) => {} } = {}) {
  const client = makeClient({ paceMs: 1, longestWaitMs: 1_000, tries, onPause });
  onTestFinished(() => client.close());
  return client;
}

/**
 * The real client, and a server that sends a body once for each version named by `modified`, or
 * redirects; both end with the test.
 */
export async function startAgency(
  bodyOf: (path: string) => string | Buffer,
  { modified, location }: { modified?: string | undefined; location?: string | undefined } = {},
) {
  const requests: { path: string; method: string; type: string; body: string }[] = [];
  const server = await startServer(async (message, response) => {
    let body = '';
    for await (const chunk of message) body += String(chunk);
    const [path, method] = [message.url ?? '', message.method ?? ''];
    requests.push({ path, method, type: message.headers['content-type'] ?? '', body });
    if (location !== undefined) {
      response.writeHead(302, { location }).end();
      return;
    }
    const isStored = modified !== undefined && message.headers['if-modified-since'] === modified;
    const headers = modified === undefined ? {} : { 'last-modified': modified };
    response.writeHead(isStored ? 304 : 200, { 'content-type': 'text/plain', ...headers });
    response.end(isStored ? undefined : bodyOf(path));
  });
  const client = startClient();
  onTestFinished(() => server.close());
  return { client, options: { baseUrl: server.url }, requests };
}

/** A store with only these figures. */
export function storeOf(figures: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const stored: StoredFigures = {
    lastDate: (id) => max(Object.keys(figures[id] ?? {})) ?? null,
    since: (id, from) =>
      new Map(Object.entries(figures[id] ?? {}).filter(([date]) => date >= from)),
    versionOf: () => undefined,
    keepVersion() {},
  };
  return stored;
}

/** By series, each figure as its date, value and, if stated, release day. */
export function listed(sent: readonly AgencySeries[] | null | undefined): Record<string, string[]> {
  const lines = (figures: readonly Figure[]) =>
    figures.map(({ date, value, released = '' }) => `${date} ${value} ${released}`.trim());
  return Object.fromEntries(
    (sent ?? []).map(({ seriesId, figures }) => [seriesId, lines(figures)]),
  );
}

export const NOTHING = storeOf({});
export const { signal } = new AbortController();
