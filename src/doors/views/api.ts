import { type Answer, type Fields, fieldsOf, readEnvelope } from './answer.ts';

// The server that the page came from. The key stays in memory, and nowhere else.

/** One argument, in JSON Schema. */
export interface Schema {
  type?: string;
  enum?: readonly string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  description?: string;
}

/** One row of the table of operations. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  method: string;
  path: string;
  price: number;
  example: Fields;
  input: { properties: Readonly<Record<string, Schema>>; required?: readonly string[] };
}

/** All operations, set by the build. */
declare const QUANTSHELF_TOOLS: readonly Tool[];
export const TOOLS = QUANTSHELF_TOOLS;

/** What came back, beside the answer. */
export interface Reply {
  answer: Answer;
  /** 0 if there was none. */
  status: number;
  text: string;
  ms: number;
}

/** A call as HTTP: arguments stand in the path, in the query or in the body. */
export function requestOf(
  { method, path }: Tool,
  args: Fields,
): { address: string; body?: Fields } {
  const inPath = (name: string) => path.includes(`{${name}}`);
  const address = Object.entries(args).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  );
  const others = Object.entries(args).filter(([name]) => !inPath(name));
  if (method === 'POST') return { address, body: Object.fromEntries(others) };
  const query = new URLSearchParams(others.map(([name, value]) => [name, String(value)]));
  return { address: query.size === 0 ? address : `${address}?${query}` };
}

/** Calls operations with the key of the user. */
export class Server {
  key = '';
  readonly #onBalance: (credits: number) => void;

  /** `onBalance` hears the credits left, after every call that tells them. */
  constructor(onBalance: (credits: number) => void) {
    this.#onBalance = onBalance;
  }

  async call(tool: Tool, args: Fields): Promise<Reply> {
    const { address, body } = requestOf(tool, args);
    const begun = performance.now();
    const headers: Record<string, string> = {};
    if (this.key !== '') headers.Authorization = `Bearer ${this.key}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      const response = await fetch(address, {
        method: tool.method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      });
      const text = await response.text();
      const left = fieldsOf(fieldsOf(parse(text)).meta).remainingCredits;
      if (typeof left === 'number') this.#onBalance(left);
      const message = text === '' ? `The server answered ${response.status}.` : text;
      const answer = readEnvelope(parse(text)) ?? { kind: 'failure', message };
      return { answer, status: response.status, text, ms: performance.now() - begun };
    } catch {
      const message = /[^\x21-\x7e]/.test(this.key)
        ? 'This is not a key: after "qs_", a key has letters and digits only.'
        : 'The server did not answer. Is it still running?';
      return {
        answer: { kind: 'failure', message },
        status: 0,
        text: '',
        ms: performance.now() - begun,
      };
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
