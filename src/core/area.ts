/** The three areas of the service, which are also the scopes of a key. */
export const AREAS = ['papers', 'macro', 'markets'] as const;
export type Area = (typeof AREAS)[number];
