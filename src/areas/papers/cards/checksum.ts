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
