import { expect, it } from 'vitest';
import { paperPrompts } from '../../../../src/areas/papers/prompts.ts';
import { indexOlderSections } from '../../../../src/areas/papers/sync/section-terms-ingest.ts';
import { paperMigrations } from '../../../../src/areas/papers/tables.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../src/store/open.ts';

const AT = new Date('2026-11-21T12:00:00Z');
const QUOTE = 'Spreads widen when inventories grow and dealers are few';

it('the sections of a store that an older version wrote are found after its migration and the slices that follow it', async () => {
  const db = openForWriting(':memory:');
  const older = paperMigrations.findIndex(({ name }) => name === 'papers-4-section-terms');
  migrate(db, paperMigrations.slice(0, older), AT);
  db.exec(`
    INSERT INTO paper (
      id, card_id, source_id, title, authors, abstract, summary, tags, categories, pdf_url, origin, as_of
    ) VALUES (
      700, 'card', 'arxiv:2609.00001', 'Dealers', '[]', 'a', 's', '["market making"]', '[]', 'p',
      'arxiv', '2026-11-21T12:00:00.000Z'
    );
    INSERT INTO paper_section (
      paper_id, section_order, section_key, section_type, title, content, char_count
    ) VALUES (700, 12, 's12-model', 'methods', 'Model', 'So it is. ${QUOTE}. And so on.', 80)`);
  migrate(db, paperMigrations, AT);
  const indexed = db.prepare('SELECT count(*) FROM paper_section_terms').pluck();
  // Not in the migration, for which the first call waits.
  expect(indexed.get()).toBe(0);
  for (const slice of indexOlderSections(db)) slice();
  const check = paperPrompts.find(({ name }) => name === 'check_claim');
  const said = await check?.write({ claim: QUOTE }, { db, now: () => AT, policy: 'personal' });
  expect(said).toContain('It appears word for word in:\n- quantshelf://paper/2609.00001/s12-model');
  // A second time there is nothing to write.
  const before = db.prepare('SELECT total_changes()').pluck();
  const changes = before.get();
  for (const slice of indexOlderSections(db)) slice();
  expect(before.get()).toBe(changes);
  db.close();
});
