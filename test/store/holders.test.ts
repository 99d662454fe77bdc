import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { countHolders } from '../../src/store/search/holders.ts';
import {
  createSearchIndex,
  indexWords,
  removeFromIndex,
} from '../../src/store/search/search-index.ts';

const INDEX = { name: 'card', columns: { title: 2, body: 1 } };
let directory: string;
let writer: Database;
let reader: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-holders-'));
  const path = join(directory, 'store.sqlite');
  writer = openForWriting(path);
  createSearchIndex(writer, INDEX);
  reader = openForReading(path);
});
afterEach(() => {
  reader.close();
  writer.close();
  rmSync(directory, { recursive: true });
});

const put = (id: number, title: string) =>
  indexWords(writer, INDEX, id, { title, body: 'nothing more' });

async function holders(db: Database, ...stems: string[]): Promise<number[]> {
  const asked = stems.map((stem) => ({ stem, isJoined: false }));
  const counted = await countHolders(db, INDEX.name, asked, async () => {});
  return counted.map((each) => each.holders);
}

describe('the number of cards that hold a stem', () => {
  it('is that of the index as it stands, whoever wrote to it since the last count', async () => {
    expect(await holders(reader, 'gold', 'swap')).toEqual([0, 0]);
    put(1, 'gold swap');
    expect(await holders(reader, 'gold', 'swap')).toEqual([1, 1]);
    put(2, 'gold');
    expect(await holders(reader, 'gold', 'swap')).toEqual([2, 1]);
    put(1, 'silver');
    expect(await holders(reader, 'gold', 'swap')).toEqual([1, 0]);
    removeFromIndex(writer, INDEX, 2);
    expect(await holders(reader, 'gold', 'swap')).toEqual([0, 0]);
    expect(await holders(writer, 'silver')).toEqual([1]);
  });

  it('is counted once while the index stands', async () => {
    put(1, 'gold');
    expect(await holders(reader, 'gold')).toEqual([1]);
    // Behind the back of the index the vocabulary is another: only a new count could tell.
    reader.exec('CREATE TEMP TABLE card_stem (term TEXT, doc INTEGER)');
    expect(await holders(reader, 'gold', 'swap')).toEqual([1, 0]);
    put(2, 'swap');
    expect(await holders(reader, 'gold')).toEqual([0]);
  });

  it('does not outlive a transaction that was undone', async () => {
    put(1, 'gold');
    writer.exec('BEGIN');
    put(2, 'gold');
    expect(await holders(writer, 'gold')).toEqual([2]);
    writer.exec('ROLLBACK');
    expect(await holders(writer, 'gold')).toEqual([1]);
  });

  it('leaves out a joined compound that no card holds', async () => {
    put(1, 'gold');
    const asked = [
      { stem: 'goldswap', isJoined: true },
      { stem: 'swap', isJoined: false },
    ];
    const counted = await countHolders(reader, INDEX.name, asked, async () => {});
    expect(counted).toEqual([{ stem: 'swap', isJoined: false, holders: 0 }]);
  });
});
