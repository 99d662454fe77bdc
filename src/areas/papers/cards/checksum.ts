import { checksumOf } from '../../../core/checksum.ts';

/** What the checksum of a section covers. */
export interface SealedSection {
  key: string;
  type: string;
  title: string;
  content: string;
}

/** The checksum of a section. Frozen: stores hold it. */
export function sectionChecksum({ key, type, title, content }: SealedSection): number {
  return checksumOf(`${key}|${type}|${title}|${content}`);
}

/** Whether a section contradicts its checksum. */
export function isSectionDamaged(section: SealedSection, checksum: number): boolean {
  return checksum !== sectionChecksum(section);
}

/** What the checksum of a card covers, in this order; lists as JSON. Frozen: stores hold it. */
const CARD = [
  'cardId',
  'sourceId',
  'version',
  'published',
  'updated',
  'title',
  'authors',
  'abstract',
  'summary',
  'tags',
  'categories',
  'pdfUrl',
  'licenseUrl',
  'doi',
  'journalRef',
  'comment',
] as const;

export type SealedCard = Readonly<Record<(typeof CARD)[number], string | number | null>>;

/** The same as columns of the table `paper`. */
export const CARD_COLUMNS = `
  paper.card_id AS cardId, paper.source_id AS sourceId, paper.version, paper.published,
  paper.updated, paper.title, paper.authors, paper.abstract, paper.summary, paper.tags,
  paper.categories, paper.pdf_url AS pdfUrl, paper.license_url AS licenseUrl, paper.doi,
  paper.journal_ref AS journalRef, paper.comment`;

export function cardChecksum(card: SealedCard): number {
  return checksumOf(CARD.map((column) => card[column]).join('|'));
}

/** Whether a card contradicts its checksum. */
export function isCardDamaged(card: SealedCard, checksum: number): boolean {
  return checksum !== cardChecksum(card);
}
