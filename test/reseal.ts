import type { Database } from 'better-sqlite3';
import { listDamagedSeries } from '../src/areas/macro/bundle-ingest.ts';
import { type SealedValue, valueChecksum } from '../src/areas/macro/vintages.ts';
import {
  EVENT_COLUMNS,
  eventChecksum,
  MARKET_COLUMNS,
  marketChecksum,
  type SealedEvent,
} from '../src/areas/markets/cards/checksum.ts';
import { listDamagedEvents } from '../src/areas/markets/queries.ts';
import { type SealedSection, sectionChecksum } from '../src/areas/papers/cards/checksum.ts';
import { sealCard } from '../src/areas/papers/ingest.ts';
import { listDamagedCards, listDamagedPapers } from '../src/areas/papers/queries.ts';

/** Makes the checksums fit what a test's own SQL has changed, as if the program had written it. */
export function reseal(db: Database): void {
  resealPapers(db);
  for (const { seriesId } of listDamagedSeries(db)) resealValues(db, seriesId);
  for (const id of listDamagedEvents(db)) {
    sealEvent(db, id);
    sealMarkets(db, id);
  }
}

/** The same in a store of papers alone. */
export function resealPapers(db: Database): void {
  for (const { id } of listDamagedCards(db)) sealCard(db, id);
  for (const { id } of listDamagedPapers(db)) resealSections(db, id);
}

function resealSections(db: Database, id: number): void {
  const update = db.prepare(
    'UPDATE paper_section SET checksum = @checksum WHERE paper_id = @id AND section_key = @key',
  );
  const sections = db
    .prepare<{ id: number }, SealedSection>(`
      SELECT section_key AS key, section_type AS type, title, content
      FROM paper_section WHERE paper_id = @id`)
    .all({ id });
  for (const section of sections) {
    update.run({ id, key: section.key, checksum: sectionChecksum(section) });
  }
}

function resealValues(db: Database, seriesId: string): void {
  const update = db.prepare(`
    UPDATE macro_vintage SET checksum = @checksum
    WHERE series_id = @seriesId AND date = @date AND rt_start = @rtStart`);
  const values = db
    .prepare<{ seriesId: string }, SealedValue>(`
      SELECT date, rt_start, rt_end, value, exact FROM macro_vintage WHERE series_id = @seriesId`)
    .raw()
    .all({ seriesId });
  for (const value of values) {
    const [date, rtStart] = value;
    update.run({ seriesId, date, rtStart, checksum: valueChecksum(seriesId, value) });
  }
}

/** Makes the checksum of an event again. */
function sealEvent(db: Database, id: number): void {
  const event = db
    .prepare<{ id: number }, SealedEvent>(
      `SELECT ${EVENT_COLUMNS} FROM market_event e WHERE e.id = @id`,
    )
    .get({ id });
  if (event === undefined) return;
  const checksum = eventChecksum(event);
  db.prepare('UPDATE market_event SET checksum = @checksum WHERE id = @id').run({ id, checksum });
}

/** Makes the checksums of its markets again, likewise; those of their earlier prices stay. */
function sealMarkets(db: Database, eventId: number): void {
  const update = db.prepare(`
    UPDATE market SET checksum = @checksum WHERE event_id = @eventId AND position = @position`);
  const markets = db
    .prepare<{ eventId: number }, [number, ...(string | number | null)[]]>(
      `SELECT position, ${MARKET_COLUMNS} FROM market WHERE event_id = @eventId`,
    )
    .raw()
    .all({ eventId });
  for (const [position, ...columns] of markets) {
    update.run({ eventId, position, checksum: marketChecksum(eventId, columns) });
  }
}
