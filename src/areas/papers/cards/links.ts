import { arxivIdOf } from './ids.ts';

/** The URI of a paper's resource, or of what stands under it; a slash in an old id is encoded. */
export function paperUri(sourceId: string, ...path: readonly string[]): string {
  return ['quantshelf://paper', arxivIdOf(sourceId), ...path]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
}
