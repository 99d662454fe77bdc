import * as z from 'zod';
import type { Migration } from '../../store/migrations.ts';
import { indexVectors } from '../../store/search/search-index.ts';
import { upgradeSearchIndex } from '../../store/search/upgrade.ts';
import { unpackVectors } from '../../store/vectors.ts';
import { indexCard } from './ingest.ts';
import { paperIndex } from './tables.ts';

const stringList = z.array(z.string());

/** Papers of a store of the first form keep words and vectors; the next sync adds their passages. */
export const paperSearchMigrations: readonly Migration[] = [
  {
    name: 'papers-search-2',
    up(db) {
      const vectors = upgradeSearchIndex(db, paperIndex);
      if (vectors === null) return;
      const papers = db
        .prepare<
          [],
          { id: number; title: string; abstract: string; tags: string; authors: string }
        >('SELECT id, title, abstract, tags, authors FROM paper WHERE withdrawn = 0')
        .all();
      for (const { id, title, abstract, tags, authors } of papers) {
        const lists = {
          tags: stringList.parse(JSON.parse(tags)),
          authors: stringList.parse(JSON.parse(authors)),
        };
        indexCard(db, id, { title, abstract, ...lists });
      }
      // A starter paper's passages are its sections, which stay as they were.
      const sections = db
        .prepare<[number], Buffer>(`
          SELECT embedding FROM paper_section JOIN paper ON paper.id = paper_id
          WHERE paper_id = ? AND origin = 'starter' AND embedding IS NOT NULL
          ORDER BY section_order`)
        .pluck();
      const passagesOf = (id: number) => sections.all(id).flatMap(unpackVectors);
      const held = papers.flatMap(({ id }) => {
        const vector = vectors.get(id);
        return vector === undefined ? [] : [{ id, vector, passages: passagesOf(id) }];
      });
      indexVectors(db, paperIndex, held);
      db.exec("UPDATE paper SET digested = 0 WHERE origin = 'arxiv'");
    },
  },
];
