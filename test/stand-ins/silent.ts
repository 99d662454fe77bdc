import { createServer, type ServerResponse } from 'node:http';
import { end, listen } from './upstream.ts';

/** An upstream that accepts every request and answers none until told to. */
export interface Silent {
  url: string;
  /** Requests whose connection is open. */
  readonly open: number;
  /** Requests so far. */
  readonly requestCount: number;
  /** Answers open requests and all later ones with a server error. */
  fail(): void;
  close(): Promise<void>;
}

export async function startSilent(): Promise<Silent> {
  const waiting = new Set<ServerResponse>();
  let requestCount = 0;
  let isFailing = false;
  const respond = (response: ServerResponse) => void response.writeHead(500).end();
  const server = createServer((_, response) => {
    requestCount += 1;
    if (isFailing) return respond(response);
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
  });
  const url = await listen(server);
  return {
    url,
    get open() {
      return waiting.size;
    },
    get requestCount() {
      return requestCount;
    },
    fail() {
      isFailing = true;
      for (const response of waiting) respond(response);
    },
    close: () => end(server),
  };
}
