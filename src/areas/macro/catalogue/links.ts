import type { ResourceLink } from '../../../core/resource.ts';

export function indicatorUri(alias: string): string {
  return `quantshelf://indicator/${encodeURIComponent(alias)}`;
}

/** From a history, which is of the latest vintage, to the known revisions of its newest values. */
export function linkToRevisions({ indicator }: { indicator: string }): ResourceLink {
  return {
    uri: indicatorUri(indicator),
    name: 'Known revisions',
    mimeType: 'application/json',
  };
}
