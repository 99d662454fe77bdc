import { parseJson } from '../core/text.ts';

/**
 * Maximum length of a message, in characters. The SDK takes a third of a second to parse a message of this
 * length with many members.
 */
export const MAX_MESSAGE = 256 * 1024;
/** Maximum number of errors in response to one batch. */
const MAX_IDS = 100;

/**
 * JSON-RPC errors for text that is not a single MCP message: -32600 for each request id in it, or -32700 if it
 * has none. Notifications and responses get no error.
 */
export function refusalsOf(text: string) {
  const bare = text.replace(/^\ufeff|\0/g, '');
  const value = parseJson(bare);
  const parts = Array.isArray(value) ? value : [value];
  const requests = parts.filter((part) => !isUnanswered(part));
  if (parts.length > 0 && requests.length === 0) return [];
  const ids = new Set(requests.map(idOf).filter((id) => id !== null));
  if (ids.size === 0) return [refusal(null, -32_700, `Parse error: ${ONE_MESSAGE}`)];
  const message = `Invalid request: ${reasonOf(text, bare, value)}`;
  return [...ids].slice(0, MAX_IDS).map((id) => refusal(id, -32_600, message));
}

const ONE_MESSAGE = 'This is not a single JSON-RPC 2.0 message in UTF-8.';

function reasonOf(text: string, bare: string, value: unknown): string {
  if (Array.isArray(value)) return 'MCP does not support batches; send one message at a time.';
  if (bare.length < text.length) return 'A message must not contain a byte order mark or NUL.';
  if (text.length > MAX_MESSAGE) return `A message may be at most ${MAX_MESSAGE / 1024} KiB long.`;
  return (
    '"jsonrpc" must be "2.0", "id" a string or a whole number, "method" a string and "params" an ' +
    'object; no other member is allowed.'
  );
}

function refusal(id: string | number | null, code: -32_700 | -32_600, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function isUnanswered(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const isNotification =
    !('id' in part) && 'jsonrpc' in part && part.jsonrpc === '2.0' && 'method' in part;
  return (
    (isNotification && typeof part.method === 'string') ||
    (!('method' in part) && ('result' in part || 'error' in part))
  );
}

function idOf(part: unknown): string | number | null {
  if (typeof part !== 'object' || part === null || !('id' in part)) return null;
  const { id } = part;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
