import { parseJson } from '../../core/text.ts';
import { make, webAddress } from './dom.ts';
import type { Port } from './stage.ts';
import { type Fields, readEnvelope } from './tool-reply.ts';

// Calls to the server that the page came from.

interface Tool {
  name: string;
  method: string;
  path: string;
  price: number;
}

/** All operations as JSON, set by the build. */
declare const QUANTSHELF_TOOLS: string;
const TOOLS: readonly Tool[] = JSON.parse(QUANTSHELF_TOOLS);

/** The status is 0 if there was no response. */
type RawResponse = Readonly<{ status: number; text: string }>;

/** The page's port, which calls tools with the user's key. `onResponse` receives every response. */
export function portOf(
  keyOf: () => string,
  onResponse: (name: string, args: Fields, response: RawResponse) => void,
): Port {
  const find = (name: string) => TOOLS.find((tool) => tool.name === name);
  return {
    priceOf: (name) => find(name)?.price,
    call: async (name, args) => {
      const tool = find(name);
      if (tool === undefined) {
        return { kind: 'failure', message: `There is no tool "${name}"; see /openapi.json.` };
      }
      const { status, text } = await send(tool, args, keyOf());
      const message = text === '' ? `The server answered with status ${status}.` : text;
      const reply = readEnvelope(parseJson(text)) ?? { kind: 'failure', message };
      onResponse(name, args, { status, text });
      return reply;
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
      // The browser needs the URL until it has read the file.
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    },
  };
}

async function send(tool: Tool, args: Fields, key: string): Promise<RawResponse> {
  const { address, body } = requestOf(tool, args);
  try {
    const response = await fetch(address, {
      method: tool.method,
      headers: {
        ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body ?? null,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    return { status: response.status, text: await response.text() };
  } catch {
    const text = /[^\x21-\x7e]/.test(key)
      ? 'This is not a key: after "qs_", a key has only letters and digits.'
      : 'The server did not answer. Is it still running?';
    return { status: 0, text };
  }
}

/** Arguments fill the path's placeholders; the others go into the body of a POST, else into the query. */
function requestOf({ method, path }: Tool, args: Fields): { address: string; body?: string } {
  const others = new Map(Object.entries(args));
  const address = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(String(others.get(name)));
    others.delete(name);
    return value;
  });
  if (method === 'POST') return { address, body: JSON.stringify(Object.fromEntries(others)) };
  const query = new URLSearchParams([...others].map(([name, value]) => [name, String(value)]));
  return { address: query.size === 0 ? address : `${address}?${query}` };
}
