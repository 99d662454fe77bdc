import type { Migration } from '../../store/migrations.ts';
import { indexVectors, indexWords } from '../../store/search/search-index.ts';
import { upgradeSearchIndex } from '../../store/search/upgrade.ts';
import { eventIndex } from './tables.ts';

/**
 * Events of a store of the first form keep their vectors and are found by all that a lexical filter
 * looks through; the next pull gives every column its own words again.
 */
export const marketSearchMigrations: readonly Migration[] = [
  {
    name: 'markets-search-2',
    up(db) {
      const vectors = upgradeSearchIndex(db, eventIndex);
      if (vectors === null) return;
      const events = db
        .prepare<[], { id: number; title: string; description: string | null; haystack: string }>(`
          SELECT e.id, e.title, e.description, t.haystack
          FROM market_event e JOIN market_event_text t ON t.id = e.id`)
        .all();
      for (const { id, title, description, haystack } of events) {
        indexWords(db, eventIndex, id, {
          title,
          description: description ?? '',
          questions: haystack,
        });
      }
      const held = events.flatMap(({ id }) => {
        const vector = vectors.get(id);
        return vector === undefined ? [] : [{ id, vector }];
      });
      indexVectors(db, eventIndex, held);
      db.exec("UPDATE market_event_sight SET facts_hash = '', words_hash = ''");
    },
  },
];
