import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
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
const CALLS = '999999999';
const envelope = z.looseObject({
  meta: z.looseObject({ verdict: z.enum(['strong', 'weak', 'none']).optional() }),
  data: z.unknown(),
});
const papers = z.array(z.looseObject({ sourcePaperId: z.string() }));
const events = z.looseObject({ events: z.array(z.looseObject({ alias: z.string() })) });
const indicators = z.array(z.looseObject({ indicator: z.string() }));

/** A server over a shelf, asked over REST: a reply over MCP has no room for ten papers. */
export class Server {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #key: string;

  private constructor(child: ChildProcess, url: string, key: string) {
    this.#child = child;
    this.#url = url;
    this.#key = key;
  }

  /** Without the model's directory the server ranks by words alone. */
  static async open(home: string, mode: Mode, models: string): Promise<Server> {
    const env = environment(home, 'questions', {
      QUANTSHELF_OFFLINE: '1',
      QUANTSHELF_RATE: CALLS,
      QUANTSHELF_MODEL_DIR: mode === 'hybrid' ? models : `${home}/no-model`,
    });
    const create = ['keys', 'create', randomUUID(), '--credits', CALLS];
    const key = execFileSync(process.execPath, [PROGRAM, ...create], {
      ...{ env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
      ...{ env, stdio: ['ignore', 'ignore', 'pipe'] },
    });
    for await (const line of createInterface({ input: child.stderr })) {
      const [, url] = /listening on (\S+)/.exec(line) ?? [];
      if (url === undefined) continue;
      child.stderr.resume();
      return new Server(child, url, key.trim());
    }
    throw new Error(`no server over ${home}`);
  }

  async ask(tool: QuestionSet['tool'], query: string): Promise<Reply> {
    switch (tool) {
      case 'paper_search': {
        const { data, verdict } = await this.#call('paper/search', { query, topK: CUT }, papers);
        return { ids: data.map((one) => one.sourcePaperId.replace(/^arxiv:/, '')), verdict };
      }
      case 'prediction_market_event_search': {
        const path = 'prediction_market/events/search';
        const { data, verdict } = await this.#call(path, { query, limit: CUT }, events);
        return { ids: data.events.map(({ alias }) => alias.replace(/^pme_/, '')), verdict };
      }
      case 'macro_indicator_search': {
        const path = `macro/indicators?q=${encodeURIComponent(query)}`;
        const { data } = await this.#call(path, null, indicators);
        const ids = data.map(({ indicator }) => indicator);
        return { ids, verdict: ids.length === 0 ? 'none' : undefined };
      }
    }
  }

  async #call<T>(path: string, input: object | null, schema: z.ZodType<T>) {
    const response = await fetch(`${this.#url}/api/${path}`, {
      method: input === null ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: input && JSON.stringify(input),
    });
    const text = await response.text();
    const reply = envelope.safeParse(JSON.parse(text));
    if (!reply.success) throw new Error(`${path}: ${text}`);
    return { data: schema.parse(reply.data.data), verdict: reply.data.meta.verdict };
  }

  async close(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}
