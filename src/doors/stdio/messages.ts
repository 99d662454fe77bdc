import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { findExcess } from '../excess.ts';

/** An answer to what is not a JSON-RPC message. */
export interface Rejection {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: typeof PARSE_ERROR | typeof INVALID_REQUEST; message: string };
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** What a line holds: a message, something to be refused, or nothing that calls for an answer. */
export type Line =
  | { kind: 'message'; message: JSONRPCMessage }
  | { kind: 'rejected'; rejection: Rejection }
  | { kind: 'ignored' };

/** Reads one line of the protocol. */
export function readLine(line: Buffer): Line {
  const excess = findExcess(line);
  if (excess !== null) {
    return reject(findId(line), INVALID_REQUEST, `A line may hold ${excess} at most.`);
  }
  const text = line.toString('utf8');
  if (/^[ \t\r\n]*$/.test(text)) return { kind: 'ignored' };
  const value = parse(text);
  if (value === undefined) return reject(null, PARSE_ERROR, 'The line is not valid JSON.');
  const message = toMessage(value);
  if (message !== undefined) return { kind: 'message', message };
  if (Array.isArray(value)) {
    return reject(null, INVALID_REQUEST, 'Batches are not supported: send one message per line.');
  }
  const { id = null, method, result, error } = toFields(value);
  // A malformed answer to us is not answered again.
  if (method === undefined && (result !== undefined || error !== undefined)) {
    return { kind: 'ignored' };
  }
  const known = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  return reject(known ? id : null, INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message.');
}

/** The answer to a line beyond the limit, of which only the two ends were kept. */
export function rejectLongLine(mebibytes: number, ends: Buffer): Rejection {
  const message = `A line may hold ${mebibytes} MiB at most.`;
  return { jsonrpc: '2.0', id: findId(ends), error: { code: INVALID_REQUEST, message } };
}

/** Bytes at each end of a line in which hosts write the id: they set it before the params or after. */
export const END_BYTES = 300;
const NAMED = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,100}"`;
const ID = String.raw`"id"\s*:\s*(?:(?<number>-?\d{1,15})|"(?<text>[^"\\]{0,100})")`;
/** Only members of the message itself stand between its first brace and this id. */
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${NAMED}\s*,\s*)*${ID}\s*,`);
/** The same between this id and the last brace. */
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${NAMED}\s*)*\}\s*$`);
const METHOD = /"method"\s*:/;

/**
 * The id of a request that is not parsed, so that its host hears of it; null where it is not clear. A
 * line without a method would be an answer, whose id is none of the host's.
 */
function findId(line: Buffer): Rejection['id'] {
  const first = line.toString('utf8', 0, END_BYTES);
  const last = line.toString('utf8', Math.max(0, line.length - END_BYTES));
  if (!METHOD.test(first) && !METHOD.test(last)) return null;
  // Of two members of a name the last one counts.
  const { text, number } = (ID_LAST.exec(last) ?? ID_FIRST.exec(first))?.groups ?? {};
  return text ?? (number === undefined ? null : Number(number));
}

function reject(id: Rejection['id'], code: Rejection['error']['code'], message: string): Line {
  return { kind: 'rejected', rejection: { jsonrpc: '2.0', id, error: { code, message } } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

function toFields(value: unknown): Partial<Record<'id' | 'method' | 'result' | 'error', unknown>> {
  return typeof value === 'object' && value !== null ? value : {};
}
