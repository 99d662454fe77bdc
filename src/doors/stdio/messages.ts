import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** An answer to what is no JSON-RPC message. */
export interface Rejection {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: typeof PARSE_ERROR | typeof INVALID_REQUEST; message: string };
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/**
 * Most of each character in a line: a megabyte of members, each with its colon, took half a second to
 * read, one of nested lists 150 ms. Messages of hosts hold some hundred.
 */
const MOST: readonly (readonly [character: string, name: string, most: number])[] = [
  [':', 'colons', 10_000],
  ['[', 'brackets', 50_000],
];

/** What a line holds: a message, something to be refused, or nothing that calls for an answer. */
export type Line =
  | { kind: 'message'; message: JSONRPCMessage }
  | { kind: 'rejected'; rejection: Rejection }
  | { kind: 'ignored' };

/** Reads one line of the protocol. */
export function readLine(line: Buffer): Line {
  for (const [character, name, most] of MOST) {
    if (!holdsMore(line, character, most)) continue;
    const limit = most.toLocaleString('en-US');
    return reject(null, INVALID_REQUEST, `A line may hold ${limit} ${name} at most.`);
  }
  const text = line.toString('utf8');
  if (/^[ \t\r\n]*$/.test(text)) return { kind: 'ignored' };
  const value = parse(text);
  if (value === undefined) return reject(null, PARSE_ERROR, 'The line is not valid JSON.');
  const message = toMessage(value);
  if (message !== undefined) return { kind: 'message', message };
  if (Array.isArray(value)) {
    return reject(null, INVALID_REQUEST, 'Batches are not taken: send one message per line.');
  }
  const { id = null, method, result, error } = toFields(value);
  // A malformed answer to us is not answered again.
  if (method === undefined && (result !== undefined || error !== undefined)) {
    return { kind: 'ignored' };
  }
  const known = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  return reject(known ? id : null, INVALID_REQUEST, 'The line is no JSON-RPC 2.0 message.');
}

/** Counted before anything is parsed, so those in strings count, too. */
function holdsMore(line: Buffer, character: string, most: number): boolean {
  const byte = character.charCodeAt(0);
  let count = 0;
  for (let at = line.indexOf(byte); at >= 0; at = line.indexOf(byte, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** The answer to a line beyond the limit, which was not read to its end. */
export function rejectLongLine(mebibytes: number): Rejection {
  const message = `A line may hold ${mebibytes} MiB at most.`;
  return { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } };
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
