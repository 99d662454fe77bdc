import { parseAccept } from 'hono/utils/accept';

const BOTH = ['application/json', 'text/event-stream'];

/**
 * An Accept header as the SDK's older transport reads it, which knows no wildcards: with both of its
 * media types spelled out where the client takes them. No header means that anything is taken.
 */
export function acceptBoth(accept: string | null): string {
  const taken = parseAccept(accept ?? '*/*').filter(({ q }) => q > 0);
  const takes = (type: string) =>
    taken.some(({ type: range }) => ['*/*', type, type.replace(/\/.*/, '/*')].includes(range));
  return BOTH.filter(takes).join(', ');
}
