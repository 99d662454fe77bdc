import { createServer, type ServerResponse } from 'node:http';
import { end, listen } from './upstream.ts';

/** An upstream that accepts every request and responds to none until told to. */
export interface Silent {
  url: string;
  /** Number of requests whose connection is still open. */
  readonly open: number;
  /** Responds to open requests and all later ones with a server error. */
  fail(): void;
  close(): Promise<void>;
}

export async function startSilent(): Promise<Silent> {
  const waiting = new Set<ServerResponse>();
  let isFailing = false;
  const respond = (response: ServerResponse) => void response.writeHead(500).end();
  const server = createServer((_, response) => {
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
    fail() {
      isFailing = true;
      for (const response of waiting) respond(response);
    },
    close: () => end(server),
  };
}
