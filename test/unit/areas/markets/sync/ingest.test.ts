import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { storeSeenEvents } from '../../../../../src/areas/markets/sync-ingest.ts';
import { marketMigrations } from '../../../../../src/areas/markets/tables.ts';
import { migrate } from '../../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../../src/store/open.ts';
import { Database } from '../../../../../src/store/sqlite.ts';
import { event, makeShelf, market, NOW } from '../shelf.ts';

const events = (count: number, markets: number) =>
  Array.from({ length: count }, (_, index) =>
    event({
      id: String(index + 1),
      markets: Array.from({ length: markets }, (_unused, place) =>
        market({ id: String(place + 1) }),
      ),
    }),
  );

describe('a page of events', () => {
  it.each([
    ['of 50 small events', 50, 1, 5],
    ['of 8 large ones', 8, 100, 4],
    ['of 3 monstrous ones', 3, 300, 3],
  ])('%s is written in parts, between which others write', async (_, count, markets, parts) => {
    const path = join(mkdtempSync(join(tmpdir(), 'quantshelf-slices-')), 'store.sqlite');
    const db = openForWriting(path);
    migrate(db, marketMigrations, NOW);
    // Another process that does not wait: it would fail under a lock.
    const other = new Database(path, { timeout: 0 });
    other.exec('CREATE TABLE turn (held INTEGER)');
    const storing = storeSeenEvents(db, events(count, markets), NOW);
    let isOver = false;
    const over = storing.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      other.exec('INSERT INTO turn SELECT count(*) FROM market_event');
      await delay(0);
    }
    expect(await over).toMatchObject({ added: count });
    const held = other.prepare('SELECT DISTINCT held FROM turn ORDER BY held').pluck().all();
    expect(held.length).toBeGreaterThanOrEqual(parts - 1);
    expect(held[0]).toBeLessThan(count);
    other.close();
    db.close();
  });

  it('without changes is one small step', async () => {
    const db = makeShelf();
    await storeSeenEvents(db, events(50, 2), NOW);
    const written = () => Number(db.prepare('SELECT total_changes()').pluck().get());
    const before = written();
    const later = new Date(NOW.getTime() + 60_000);
    expect(await storeSeenEvents(db, events(50, 2), later)).toMatchObject({ unchanged: 50 });
    expect(written() - before).toBe(50);
    expect(db.prepare('SELECT DISTINCT seen_at FROM market_event_last_seen').pluck().all()).toEqual(
      [later.getTime()],
    );
    db.close();
  });
});
