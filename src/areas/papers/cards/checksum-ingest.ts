import type { Database } from 'better-sqlite3';
import { CARD_COLUMNS, cardChecksum, type SealedCard } from './checksum.ts';

/** Makes the checksum of a card again. Call it inside the transaction that changes the card. */
export function sealCard(db: Database, id: number): void {
  const card = db
    .prepare<{ id: number }, SealedCard>(`SELECT ${CARD_COLUMNS} FROM paper WHERE id = @id`)
    .get({ id });
  if (card === undefined) return;
  const checksum = cardChecksum(card);
  db.prepare('UPDATE paper SET checksum = @checksum WHERE id = @id').run({ id, checksum });
}
