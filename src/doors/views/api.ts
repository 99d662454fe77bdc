import { type Fields, parseJson, readEnvelope } from './answer.ts';
import { make, webAddress } from './dom.ts';
import type { Port } from './stage.ts';

// The server that the page came from. A key that was typed in stays in memory, and nowhere else.

/** One row of the table of operations. */
export interface Tool {
  name: string;
  method: string;
  path: string;
  price: number;
}

/** All operations, set by the build. */
declare const QUANTSHELF_TOOLS: readonly Tool[];
export const TOOLS = QUANTSHELF_TOOLS;

/** What came back. */
export interface Reply {
  /** 0 if there was none. */
  status: number;
  text: string;
}

/** Calls operations with the key of the user. */
export class Server {
  key = '';

  /** What a drawn answer on the page may do; `onReply` hears of every call. */
  port(onReply: (name: string, args: Fields, reply: Reply) => void): Port {
    const find = (name: string) => TOOLS.find((tool) => tool.name === name);
    return {
      priceOf: (name) => find(name)?.price,
      call: async (name, args) => {
        const tool = find(name);
        if (tool === undefined) return { kind: 'failure', message: `There is no ${name}.` };
        const { status, text } = await this.#send(tool, args);
        const message = text === '' ? `The server answered ${status}.` : text;
        const answer = readEnvelope(parseJson(text)) ?? { kind: 'failure', message };
        onReply(name, args, { status, text });
        return answer;
      },
      link(label, address) {
        const href = webAddress(address);
        if (href === undefined) return label;
        return make('a', { href, rel: 'noopener noreferrer', target: '_blank' }, label);
      },
      download(name, type, data) {
        const bytes = type.startsWith('text/')
          ? data
          : Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        const href = URL.createObjectURL(new Blob([bytes], { type }));
        make('a', { href, download: name }).click();
        // A browser that still reads it has its own hold on it by then.
        setTimeout(() => URL.revokeObjectURL(href), 60_000);
      },
      extras: () => [],
      tellModel() {},
    };
  }

  async #send(tool: Tool, args: Fields): Promise<Reply> {
    const { address, body } = requestOf(tool, args);
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
      return { status: response.status, text: await response.text() };
    } catch {
      const text = /[^\x21-\x7e]/.test(this.key)
        ? 'This is not a key: after "qs_", a key has letters and digits only.'
        : 'The server did not answer. Is it still running?';
      return { status: 0, text };
    }
  }
}

/** A call as HTTP: arguments stand in the path, in the query or in the body. */
function requestOf({ method, path }: Tool, args: Fields): { address: string; body?: Fields } {
  const address = Object.entries(args).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  );
  const others = Object.entries(args).filter(([name]) => !path.includes(`{${name}}`));
  if (method === 'POST') return { address, body: Object.fromEntries(others) };
  const query = new URLSearchParams(others.map(([name, value]) => [name, String(value)]));
  return { address: query.size === 0 ? address : `${address}?${query}` };
}
