import { existsSync, readFileSync } from 'node:fs';
import { Database } from '../src/store/sqlite.ts';
import { loadVectorExtension } from '../src/store/vector-extension.ts';
import { openCachedEmbedder } from './eval/embed-cache.ts';
import { readQfinPapers } from './eval/collections.ts';
import { readNeighbours } from './eval/neighbours.ts';
import { findPapers } from '../src/areas/papers/query/find.ts';
import { findEvents } from '../src/areas/markets/query/find.ts';
import { readFilters } from '../src/areas/markets/cards/filters.ts';
import { sourceIdOf } from '../src/areas/papers/cards/ids.ts';
import { measure, mean } from './eval/measures.ts';
import { removeFromIndex } from '../src/search/profile.ts';
import { paperIndex } from '../src/areas/papers/tables.ts';
import { eventIndex } from '../src/areas/markets/tables.ts';
import { compileStarter } from './starter/compile.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
export const embedder = openCachedEmbedder((l) => process.stderr.write(l + '\n'));
const CACHE = '/tmp/mine-cache';
function open(path: string) {
  const db = new Database(path);
  const f = loadVectorExtension(db); if (f) throw f;
  return db;
}
async function store(name: string, build: () => Promise<any>) {
  const path = `${CACHE}-${name}.sqlite`;
  if (!existsSync(path)) { const db = await build(); db.exec(`VACUUM INTO '${path}'`); }
  return open(path);
}
export async function shelves() {
  return {
    papers: await store('papers', async () => (await readQfinPapers('../shared', embedder))[0]!.db),
    events: await store('events', async () => (await readNeighbours('../shared', embedder))[2]!.db),
    starter: await store('starter', async () => { compileStarter('data', CACHE + '-st.sqlite'); return open(CACHE + '-st.sqlite'); }),
  };
}
export function context(db: any, mode: string) {
  return {
    db, now: () => NOW,
    isWord: mode === 'hybrid' ? embedder.isWord : async () => false,
    async embedQuery(text: string): Promise<any> {
      if (mode !== 'hybrid') return { unavailable: 'x' };
      const [vector] = await embedder.embed([text]);
      return { vector };
    },
  } as any;
}
export interface Q { query: string; relevant: Record<string, number> }
export function load(file: string, half: string): Record<string, Q[]> {
  const sets = JSON.parse(readFileSync(`/tmp/evq/${file}.json`, 'utf8'));
  const out: Record<string, Q[]> = {};
  for (const [name, halves] of Object.entries<any>(sets)) {
    let all = (halves[half] ?? []).map((q: any) => typeof q === 'string' ? { query: q, relevant: {} } : q);
    if (all.length) out[name] = all;
  }
  return out;
}
export async function ask(db: any, file: string, q: string, mode: string) {
  const c = context(db, mode);
  if (file.includes('paper')) {
    const r = await findPapers(c, q, 10);
    return { ids: r.papers.map((p) => p.paper.id), verdict: r.verdict, r };
  }
  const r = await findEvents(c, q, readFilters({ status: 'active_or_recently_closed' } as any), { limit: 10, now: NOW });
  return { ids: r.found.map((p: any) => p.event.id), verdict: r.verdict, r };
}
