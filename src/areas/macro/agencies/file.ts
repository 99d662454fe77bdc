import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HttpClient } from '../../../upstream/http.ts';
import { easternDay } from './calendar.ts';
import type { AgencySeries, Feed } from './feed.ts';

export interface FileFeed extends Omit<Feed, 'fetch'> {
  url: string;
  /** The agency's own domain, to whose hosts it may redirect. */
  domain: string;
  maxBytes: number;
  /**
   * Reads the file at `path` as a stream: it may be far larger than what it brings. `modified` is the
   * day in New York on which it was put there, if the server says so.
   */
  parse(
    path: string,
    about: { today: string; modified: string | undefined },
  ): Promise<AgencySeries[]>;
}

/** A feed from a file that is downloaded only when it has changed. */
export function createFileFeed(client: Pick<HttpClient, 'download'>, file: FileFeed): Feed {
  const { url, domain, maxBytes, parse, ...feed } = file;
  return {
    ...feed,
    async fetch(held, today, signal) {
      const directory = await mkdtemp(join(tmpdir(), 'quantshelf-macro-'));
      const path = join(directory, 'file');
      try {
        const validators = held.versionOf(url);
        const { bytes, ...version } = await client.download(url, path, {
          maxBytes,
          validators,
          redirectDomains: [domain],
          signal,
        });
        if (bytes === null) return 'unchanged';
        const stamp = Date.parse(version.lastModified ?? '');
        const modified = Number.isNaN(stamp) ? undefined : easternDay(new Date(stamp));
        const series = await parse(path, { today, modified });
        if (version.etag !== null || version.lastModified !== null) held.keepVersion(url, version);
        return series;
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}

/** The lines of a text file. */
export function readLines(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}
