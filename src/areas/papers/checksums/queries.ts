import type { Database } from 'better-sqlite3';
import { checksumOf, isDamaged } from '../../../core/checksum.ts';

/** What the checksum of a section covers. */
export interface SealedSection {
  key: string;
  type: string;
  title: string;
  content: string;
}

/** The checksum of a section. Frozen: stores hold it. */
export function sectionChecksum(section: SealedSection): number {
  return checksumOf(sealed(section));
}

/** Whether a section contradicts its checksum, which is null until it is made. */
export function isSectionDamaged(section: SealedSection, checksum: number | null): boolean {
  return isDamaged(checksum, sealed(section));
}

function sealed({ key, type, title, content }: SealedSection): string {
  return `${key}|${type}|${title}|${content}`;
}

/** The papers with a damaged section, or damaged vectors of one. Reads all texts. */
export function listDamagedPapers(db: Database): { id: number; sourceId: string }[] {
  const rows = db
    .prepare<
      [],
      SealedSection & {
        id: number;
        checksum: number | null;
        embedding: Buffer | null;
        embeddingChecksum: number | null;
      }
    >(`
      SELECT paper_id AS id, section_key AS key, section_type AS type, title, content, checksum,
        embedding, embedding_checksum AS embeddingChecksum
      FROM paper_section`)
    .iterate();
  const damaged = new Set<number>();
  for (const row of rows) {
    const isRotten =
      isSectionDamaged(row, row.checksum) ||
      (row.embedding !== null && isDamaged(row.embeddingChecksum, row.embedding));
    if (isRotten) damaged.add(row.id);
  }
  const sourceOf = db
    .prepare<{ id: number }, string>('SELECT source_id FROM paper WHERE id = @id')
    .pluck();
  return [...damaged].map((id) => ({ id, sourceId: sourceOf.get({ id }) ?? '' }));
}
