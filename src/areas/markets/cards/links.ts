import type { ResourceLink } from '../../../core/resource.ts';

/** From a reading to the event's own resource, which a host can keep and read again. */
export function linkToEvent({ alias }: { alias: string }): ResourceLink {
  return {
    uri: `quantshelf://event/${alias}`,
    name: 'Prediction-market event',
    mimeType: 'application/json',
  };
}
