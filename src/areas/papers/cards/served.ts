import type { Context } from '../../../core/context.ts';
import type { ManifestRow, PaperRow } from '../queries.ts';
import { isOpenLicence } from './licence.ts';

type Policy = Pick<Context, 'policy'>;
type Licensed = Pick<PaperRow, 'textSource' | 'licenseUrl'>;

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
