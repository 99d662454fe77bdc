import { InvalidResponseError } from '../../../../../src/upstream/errors.ts';
import type { GetRequest, HttpClient } from '../../../../../src/upstream/http.ts';

export interface AskedRequest {
  url: string;
  intervalMs: number;
  maxBytes: number;
}

/** A client without pauses: sends a request up to three times while responses are invalid. */
export function createPlainClient(): Pick<HttpClient, 'get'> & { asked: AskedRequest[] } {
  const asked: AskedRequest[] = [];

  async function ask<T>(url: string, request: GetRequest<T>): Promise<T> {
    asked.push({ url, intervalMs: request.intervalMs, maxBytes: request.maxBytes });
    const response = await fetch(url, { redirect: 'manual', signal: request.signal ?? null });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200 && !(request.statuses ?? []).includes(response.status)) {
      throw new Error(`status ${response.status}`);
    }
    return request.read({ status: response.status, body });
  }

  return {
    asked,
    async get(url, request) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await ask(url, request);
        } catch (error) {
          if (!(error instanceof InvalidResponseError) || tries === 3) throw error;
        }
      }
    },
  };
}
