import { openPromise, type ZipFile } from 'yauzl';
import { isCalendarDay } from '../../../core/fields.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import type { AgencyRow } from '../facts/indicators.ts';
import { periodOf } from '../facts/releases.ts';
import type { Feed, Figure } from './feed.ts';
import { type Column, createFileFeeds, type Downloader } from './file-feeds.ts';

type Attributes = ReadonlyMap<string, string>;

/** In characters; a series tag takes about 500. */
const MAX_TAG = 100_000;
const MISSING = -9999;
/** In bytes; the largest archive we use unpacks to 125 MB. */
const MAX_UNPACKED = 1024 ** 3;

/** Statistical releases of the Federal Reserve Board: zip archives of compact SDMX. */
export function createFedBoardFeeds(client: Downloader, { baseUrl }: { baseUrl: string }): Feed[] {
  return createFileFeeds(client, 'fed_board', {
    baseUrl,
    read: (file, rows) => readColumns(readZipEntry(file, /_data\.xml$/i), rows),
  });
}

async function readColumns(
  text: AsyncIterable<string>,
  rows: readonly AgencyRow[],
): Promise<Map<string, Column>> {
  const columns = new Map<string, Column>();
  let current: { figures: Figure[]; frequency: string } | null = null;
  let rest = '';
  for await (const chunk of text) {
    const tags = `${rest}${chunk}`.split('>');
    rest = tags.pop() ?? '';
    if (rest.length > MAX_TAG) {
      throw new InvalidResponseError('The Federal Reserve Board sent an endless XML tag.');
    }
    for (const tag of tags) {
      const start = tag.lastIndexOf('<');
      const name = /^<(?:\w+:)?(Series|Obs)\s/.exec(tag.slice(start, start + 40))?.[1];
      if (name === undefined || (name === 'Obs' && current === null)) continue;
      const attributes = readAttributes(tag.slice(start));
      if (name === 'Obs') {
        const figure = readObservation(attributes, current?.frequency ?? '');
        if (figure !== undefined) current?.figures.push(figure);
        continue;
      }
      const match = rows.find(({ agency: { attributes: names = {} } }) =>
        Object.entries(names).every(([key, value]) => attributes.get(key) === value),
      );
      current = match === undefined ? null : { figures: [], frequency: match.frequency };
      if (match === undefined || current === null) continue;
      const isRebased = match.agency.rebased === true;
      const units = isRebased ? { units: unitsOf(attributes.get('UNIT')) } : {};
      columns.set(match.series_id, { ...units, figures: current.figures });
    }
  }
  return columns;
}

/** "Index:_2017_100" becomes "Index 2017=100", as FRED spells it; anything else stays unchanged. */
function unitsOf(unit: string | undefined): string {
  const year = /^Index:_(\d{4})_100$/.exec(unit ?? '')?.[1];
  return year === undefined ? (unit ?? '') : `Index ${year}=100`;
}

function readAttributes(tag: string): Attributes {
  return new Map(
    [...tag.matchAll(/(?<![\w:])([\w:]+)\s*=\s*"([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

/** Reads an observation; dates months and longer periods by their first day, as FRED does. Undefined if unreadable. */
function readObservation(attributes: Attributes, frequency: string): Figure | undefined {
  const [day = '', shown = ''] = [attributes.get('TIME_PERIOD'), attributes.get('OBS_VALUE')];
  const value = Number(shown);
  const isMissing = attributes.get('OBS_STATUS') === 'ND' || value === MISSING;
  const isReadable = isMissing || /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(shown);
  if (!isCalendarDay(day) || !isReadable) return undefined;
  const date = frequency === 'Daily' ? day : periodOf(frequency, day, day);
  return { date, value: isMissing ? null : value };
}

/** Streams the first entry with a matching name. Rejects an archive that is damaged or lacks such an entry. */
async function* readZipEntry(path: string, name: RegExp): AsyncGenerator<string> {
  let archive: ZipFile | undefined;
  try {
    archive = await openPromise(path, { autoClose: false, lazyEntries: true });
    for await (const entry of archive.eachEntry()) {
      if (!name.test(entry.fileName) || entry.uncompressedSize > MAX_UNPACKED) continue;
      const packed = await archive.openReadStreamPromise(entry);
      yield* packed.setEncoding('utf8');
      return;
    }
    throw new Error('no such entry');
  } catch (cause) {
    throw new InvalidResponseError('The zip archive is damaged or lacks the data file.', { cause });
  } finally {
    archive?.close();
  }
}
