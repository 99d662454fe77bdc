import type { Context } from '../../../core/context.ts';
import type { ManifestRow, PaperRow } from '../queries.ts';

type Policy = Pick<Context, 'policy'>;
type Licensed = Pick<PaperRow, 'textSource' | 'licenseUrl'>;

/** Licences that permit serving the sections, an adaptation of the paper, to others. */
const OPEN = /creativecommons\.org\/(?:licenses\/(?:by|by-sa)|publicdomain\/zero)\//i;

/** True when the full text may be served to anyone; false for an unknown licence. */
export function isOpenLicence(licenseUrl: string | null): boolean {
  return licenseUrl !== null && OPEN.test(licenseUrl);
}

/** True when the store holds a text that the reading policy withholds from callers. */
export function isGated({ textSource, licenseUrl }: Licensed, { policy }: Policy): boolean {
  return policy === 'licensed' && textSource !== null && !isOpenLicence(licenseUrl);
}

/** A filter for the sections that callers may read. */
export function servedBy(paper: Licensed, context: Policy) {
  const gated = isGated(paper, context);
  return ({ type, ours }: Pick<ManifestRow, 'type' | 'ours'>) =>
    !gated || type === 'abstract' || ours === 1;
}
