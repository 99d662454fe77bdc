import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { AMPLE_CREDITS, makeKey, startServing } from '../../test/e2e/serving.ts';
import { CUT, type Measurement, MODES, type Mode, type Reply } from './measures.ts';
import type { Question } from './questions.ts';
import { clockOf } from './shelves.ts';

const envelope = z.looseObject({
  meta: z.looseObject({ verdict: z.enum(['strong', 'weak', 'none']).optional() }),
  data: z.unknown(),
});
const papers = z.array(z.looseObject({ sourcePaperId: z.string() }));
const events = z.looseObject({ events: z.array(z.looseObject({ alias: z.string() })) });
const indicators = z.array(z.looseObject({ indicator: z.string() }));

/** Asks questions with and without the model, of two servers in parallel. */
export async function askAll(
  home: string,
  models: string,
  questions: readonly Question[],
): Promise<Measurement[]> {
  const measurements = MODES.map(async (mode) => {
    const server = await openServer(home, mode, models);
    const own: Measurement[] = [];
    for (const question of questions) {
      own.push({ question, mode, reply: await ask(question, server.call) });
    }
    await server.close();
    return own;
  });
  return (await Promise.all(measurements)).flat();
}

type Call = (path: string, body?: object) => Promise<z.output<typeof envelope>>;

async function ask({ tool, query }: Question, call: Call): Promise<Reply> {
  switch (tool) {
    case 'paper_search': {
      const { data, meta } = await call('paper/search', { query, topK: CUT });
      const ids = papers.parse(data).map((one) => one.sourcePaperId.replace(/^arxiv:/, ''));
      return { ids, verdict: meta.verdict };
    }
    case 'prediction_market_event_search': {
      const path = 'prediction_market/events/search';
      const { data, meta } = await call(path, { query, limit: CUT });
      const ids = events.parse(data).events.map(({ alias }) => alias.replace(/^pme_/, ''));
      return { ids, verdict: meta.verdict };
    }
    case 'macro_indicator_search': {
      const { data } = await call(`macro/indicators?q=${encodeURIComponent(query)}`);
      const ids = indicators.parse(data).map(({ indicator }) => indicator);
      return { ids, verdict: ids.length === 0 ? 'none' : undefined };
    }
  }
}

/**
 * A server on a shelf, called over REST because a reply over MCP has no room for ten papers. Without the
 * model's directory it ranks by words alone.
 */
async function openServer(home: string, mode: Mode, models: string) {
  const key = await makeKey(home, randomUUID(), '--credits', AMPLE_CREDITS);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const modelDir = mode === 'hybrid' ? models : `${home}/no-model`;
  const { url, stop } = await startServing(home, {
    env: { ...clockOf('questions'), QUANTSHELF_MODEL_DIR: modelDir },
  });
  const call: Call = async (path, body) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const text = await (await fetch(`${url}/api/${path}`, { headers, ...init })).text();
    const reply = envelope.safeParse(JSON.parse(text));
    if (!reply.success) throw new Error(`${path}: ${text}`);
    return reply.data;
  };
  return { call, close: () => stop() };
}
