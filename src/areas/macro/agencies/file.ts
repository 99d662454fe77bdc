import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { codeOf } from '../../../core/errors.ts';
import type { HttpClient } from '../../../upstream/client.ts';
import type { Validators } from '../../../upstream/connections.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { easternDay } from './calendar.ts';
import {
  AGENCIES,
  type AgencySeries,
  byDate,
  createFeed,
  type Feed,
  type Figure,
  feedsOf,
} from './feed.ts';
import { type AgencyRow, rowsOfFeed } from './indicators.ts';

/** The largest files of the BEA are about 35 MB. */
const MAX_BYTES = 128 * 1024 ** 2;

export type Downloader = Pick<HttpClient, 'download'>;

/** What a file has of a series, in any order. */
export interface Column {
  units?: string;
  figures: Figure[];
}

/** Reads a file as a stream, by series: it may be far larger than what it brings. */
export type ReadFile = (
  file: string,
  rows: readonly AgencyRow[],
) => Promise<ReadonlyMap<string, Column>>;

interface FileOptions {
  baseUrl: string;
  /** What follows the path; `today` is the day in New York. */
  queryOf?: ((feed: string, today: string) => string) | undefined;
  read: ReadFile;
}

/** The feeds of an agency, each from a file that is downloaded only when it has changed. */
export function createFileFeeds(
  client: Downloader,
  agency: 'fed_board' | 'bea' | 'census' | 'fhfa',
  { baseUrl, queryOf, read }: FileOptions,
): Feed[] {
  const { domain, name: agencyName, ...facts } = AGENCIES[agency];
  const create = ({ name, path }: { name: string; path?: string }) =>
    createFeed(agency, name, async (stored, today, signal) => {
      const url = `${baseUrl}/${path}${queryOf?.(name, today) ?? ''}`;
      const directory = await mkdtemp(join(tmpdir(), 'quantshelf-macro-')).catch(rejectFileFault);
      const file = join(directory, 'file');
      try {
        const { bytes, ...version } = await client
          .download(url, file, {
            maxBytes: MAX_BYTES,
            validators: stored.versionOf(url),
            redirectDomains: [domain],
            signal,
          })
          .catch(rejectFileFault);
        if (bytes === null) return null;
        const released = 'filesAtRelease' in facts ? dayOf(version) : '';
        const series = [...(await read(file, rowsOfFeed(name)))].flatMap(([seriesId, column]) =>
          toSeries(seriesId, column, { today, released }),
        );
        if (series.length === 0) {
          throw new InvalidResponseError(`${agencyName} sent a file of another kind.`);
        }
        if (version.etag !== null || version.lastModified !== null)
          stored.keepVersion(url, version);
        return series;
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  return feedsOf(agency).map(create);
}

/** Fails the feed alone where its file finds no place; rejects with anything else as it is. */
function rejectFileFault(error: unknown): never {
  const code = codeOf(error);
  if (!/^E(?!RR_)/.test(code)) throw error;
  throw new RejectedRequestError(
    `No temporary file could be written (${code}): make room in the directory for such files, or set TMPDIR (TEMP on Windows) to another.`,
  );
}

/** The day in New York on which a file was put there; empty where the server does not say so. */
function dayOf({ lastModified }: Validators): string {
  const stamp = Date.parse(lastModified ?? '');
  return Number.isNaN(stamp) ? '' : easternDay(new Date(stamp));
}

/** A series in order, without the missing values around its figures; none without figures. */
function toSeries(
  seriesId: string,
  { figures, ...units }: Column,
  { today, released }: { today: string; released: string },
): AgencySeries[] {
  const byDay = new Map(figures.map((figure) => [figure.date, figure]));
  const past = [...byDay.values()].filter(({ date }) => date <= today).sort(byDate);
  const values = past.map(({ value }) => value !== null);
  const sorted = past.slice(values.indexOf(true), values.lastIndexOf(true) + 1);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const newest = released >= last.date ? { ...last, released } : last;
  return [{ seriesId, from: first.date, ...units, figures: sorted.with(-1, newest) }];
}

/** The lines of a text file. */
export function readLines(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}
