import type { ResourceLink } from '../../../core/resource.ts';
import { arxivIdOf } from './ids.ts';

/** The URI of a paper's resource, or of what stands under it; a slash in an old id is encoded. */
export function paperUri(sourceId: string, ...path: readonly string[]): string {
  return ['quantshelf://paper', arxivIdOf(sourceId), ...path]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
}

/** From a reading to the entry that cites the paper. */
export function linkToCitation({ sourcePaperId }: { sourcePaperId: string }): ResourceLink {
  return {
    uri: paperUri(sourcePaperId, 'bibtex'),
    name: 'BibTeX entry',
    mimeType: 'application/x-bibtex',
  };
}
