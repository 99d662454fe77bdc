import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { operations } from '../../src/operations.ts';
import { Database } from '../../src/store/sqlite.ts';
import { SHARED_DIR } from '../../test/shared.ts';
import { bundledFigures, type Figures, startAgencies } from '../../test/stand-ins/agencies.ts';
import { startArxiv } from '../../test/stand-ins/arxiv.ts';
import { makePaper, makePapers } from '../../test/stand-ins/arxiv-papers.ts';
import { makeWireEvent, startPolymarket } from '../../test/stand-ins/polymarket.ts';
import { end, listen, type Upstream } from '../../test/stand-ins/upstream.ts';
import { mutate } from './mutate.ts';

/** A command of the program whose upstream responses are mutated. */
export interface Target {
  name: string;
  /** Arguments of the n-th run. */
  argsOf(run: number): readonly string[];
  env: Readonly<Record<string, string>>;
  /** Seeds the mutations of the next responses; called before each run on the store at `path`. */
  use(random: () => number, path: string): void;
  /** Describes damage that no response may do to the store. */
  findLoss?(path: string): string | undefined;
  close(): Promise<void>;
}

const PAGES = 400;
/** Share of responses that are mutated; the others let a sync proceed. */
const SHARE = 0.1;

/** Every upstream, behind a proxy that mutates some of its responses. */
export async function openTargets(): Promise<Target[]> {
  const arxiv = await startArxiv({ records: makePapers(30), pageSize: 10 });
  const texts = await startArxiv({ records: makeTexts(), pageSize: 100 });
  const polymarket = await startPolymarket(
    Array.from({ length: 30 }, (_, id) => makeWireEvent({ id: id + 1, tagSlugs: ['finance'] })),
  );
  const agencies = await startAgencies(bundledFigures());
  const since = (run: number) => `20${10 + (run % 10)}-01-01`;
  const read = (run: number) =>
    JSON.stringify({ paperCardId: idOf(run % PAGES), sections: ['all'] });
  return Promise.all([
    open('sync papers', (run) => ['sync', 'papers', '--since', since(run)], arxiv),
    open('sync markets', () => ['sync', 'markets', '--force'], polymarket),
    open('sync macro', () => ['sync', 'macro', '--force'], agencies),
    openFigures(),
    open('paper_read', (run) => ['call', 'paper_read', read(run)], texts),
  ]);
}

/** Well-formed responses with impossible figures: far dates, wild values, lost history. */
async function openFigures(): Promise<Target> {
  const bundled = bundledFigures();
  const agencies = await startAgencies(new Map(bundled));
  let before = new Set<string>();
  return {
    name: 'sync macro, figures',
    argsOf: () => ['sync', 'macro', '--force'],
    env: { ...agencies.env, FRED_API_KEY: '' },
    use(random, path) {
      agencies.figures = distort(bundled, random);
      before = withStore(path, (db) => {
        db.exec('UPDATE macro_series SET next_due = NULL');
        db.exec('DELETE FROM agency_file');
        return listFigures(db);
      });
    },
    findLoss: (path) =>
      withStore(path, (db) => {
        const after = listFigures(db);
        const lost = [...before].find((each) => !after.has(each));
        const ahead = db
          .prepare("SELECT max(date) FROM macro_vintage WHERE date > date('now', '+1 day')")
          .pluck()
          .get();
        if (lost !== undefined) return `lost ${lost}`;
        return ahead === null ? undefined : `stored a figure of ${ahead}`;
      }),
    close: agencies.close,
  };
}

function withStore<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** The dates that have a value. */
function listFigures(db: Database.Database): Set<string> {
  const rows = db
    .prepare<[], string>(`
      SELECT DISTINCT series_id || ' ' || date FROM macro_vintage WHERE value IS NOT NULL`)
    .pluck();
  return new Set(rows.all());
}

function distort(figures: Figures, random: () => number): Figures {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  return new Map(
    [...figures].map(([id, values]) => {
      const rows = [...values];
      const kind = random();
      if (kind < 0.2) return [id, new Map(rows.slice(0, Math.floor(random() * rows.length)))];
      if (kind < 0.3)
        return [id, new Map(rows.map(([date, value]) => [date, value && value * 1_000]))];
      if (kind > 0.8) return [id, values];
      for (let count = Math.ceil(random() * 5); count > 0; count -= 1) {
        const far = pick(['0001-01-01', '1000-01-01', '2027-01-01', '9998-01-01']) ?? '';
        const date = random() < 0.5 ? far : (pick(rows)?.[0] ?? far);
        rows.push([date, pick([null, -1, 0, 9_999_999, Number.MAX_VALUE]) ?? null]);
      }
      const sorted = new Map(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
      return [id, sorted];
    }),
  );
}

/** Papers whose texts are the recorded pages and files, in turn. */
function makeTexts() {
  const files = (folder: string, end: string) => {
    const path = join(SHARED_DIR, 'data/papers', folder);
    const names = existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
    return names.filter((name) => name.endsWith(end)).map((name) => readFileSync(join(path, name)));
  };
  const [pages, pdfs] = [files('html', '.html'), files('pdf', '.pdf')];
  return Array.from({ length: PAGES }, (_, at) => {
    const page = pages[at % Math.max(1, pages.length)]?.toString('utf8');
    const pdf = pdfs[at % Math.max(1, pdfs.length)];
    const text =
      at % 3 === 0 ? { html: null, ar5iv: null, ...(pdf && { pdf }) } : page && { html: page };
    return makePaper({ id: idOf(at), ...text }, at);
  });
}

function idOf(at: number): string {
  return `2609.${String(at + 1).padStart(5, '0')}`;
}

async function open(
  name: string,
  argsOf: Target['argsOf'],
  standIn: Upstream & { env: Readonly<Record<string, string>> },
): Promise<Target> {
  const { origin } = new URL(standIn.url);
  let random = () => 0;
  const proxy = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const init = request.method === 'POST' ? { method: 'POST', body: Buffer.concat(body) } : {};
    const original = await fetch(`${origin}${request.url}`, { ...init, redirect: 'manual' });
    const bytes = Buffer.from(await original.arrayBuffer());
    const status = random() < 0.05 ? 500 : original.status;
    response.writeHead(status, { 'content-type': original.headers.get('content-type') ?? '' });
    response.end(random() < SHARE ? mutate(bytes, random) : bytes);
  });
  const url = await listen(proxy);
  const env = Object.entries(standIn.env).map(([key, value]) => [key, value.replace(origin, url)]);
  return {
    name,
    argsOf,
    env: Object.fromEntries(env),
    use(next) {
      random = next;
    },
    async close() {
      await end(proxy);
      await standIn.close();
    },
  };
}

/** Lines as a host sends them on stdio. */
export const LINES = [
  ...operations.map(({ name, example }) => request(1, 'tools/call', { name, arguments: example })),
  request(2, 'tools/list', {}),
  request(3, 'ping', {}),
  request(4, 'resources/list', {}),
];

export function request(id: number | string, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
