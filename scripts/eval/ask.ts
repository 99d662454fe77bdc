import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import type { QuestionSet } from './questions.ts';
import { environment, PROGRAM } from './shelves.ts';

export type Mode = 'hybrid' | 'lexical';

/** What an agent sees of a reply. */
export interface Reply {
  /** Ids as the questions have them, best first. */
  ids: string[];
  verdict?: 'strong' | 'weak' | 'none' | undefined;
}

/** Ranks that count. */
export const CUT = 10;
const meta = z.looseObject({
  verdict: z.enum(['strong', 'weak', 'none']).optional(),
  notice: z.string().optional(),
});
const papers = z.array(z.looseObject({ sourcePaperId: z.string() }));
const events = z.looseObject({ events: z.array(z.looseObject({ alias: z.string() })) });
const indicators = z.array(z.looseObject({ indicator: z.string() }));

/** A server over a shelf, asked over stdio as a host asks it. */
export class Server {
  readonly #client = new Client({ name: 'quantshelf-eval', version: '1' });

  /** Without the model's directory the server ranks by words alone. */
  static async open(home: string, mode: Mode, models: string): Promise<Server> {
    const server = new Server();
    const env = environment(home, 'questions', {
      QUANTSHELF_OFFLINE: '1',
      QUANTSHELF_MODEL_DIR: mode === 'hybrid' ? models : `${home}/no-model`,
    });
    await server.#client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM],
        env,
        stderr: 'ignore',
      }),
    );
    return server;
  }

  async ask(tool: QuestionSet['tool'], query: string): Promise<Reply> {
    switch (tool) {
      case 'paper_search': {
        const { data, verdict } = await this.#call(tool, { query, topK: CUT }, papers);
        return { ids: data.map((one) => one.sourcePaperId.replace(/^arxiv:/, '')), verdict };
      }
      case 'prediction_market_event_search': {
        const { data, verdict } = await this.#call(tool, { query, limit: CUT }, events);
        return { ids: data.events.map(({ alias }) => alias.replace(/^pme_/, '')), verdict };
      }
      case 'macro_indicator_search': {
        const { data } = await this.#call(tool, { q: query }, indicators);
        const ids = data.map(({ indicator }) => indicator);
        return { ids, verdict: ids.length === 0 ? 'none' : undefined };
      }
    }
  }

  async #call<T>(name: string, args: Record<string, unknown>, schema: z.ZodType<T>) {
    const { structuredContent } = await this.#client.callTool({ name, arguments: args });
    const reply = z.looseObject({ meta, data: z.unknown() }).safeParse(structuredContent);
    if (!reply.success) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
    const { verdict } = reply.data.meta;
    return { data: schema.parse(reply.data.data), verdict };
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
