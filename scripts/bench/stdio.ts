import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { type Figure, figure, quantile, type Section } from './figures.ts';
import { BenchServer, BIN, environment, withHome, withServer } from './server.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  listRatio: { below: 2.5, of: 'p50' },
  firstInitialize: { below: 1000, of: 'p95' },
  firstSearch: { below: 1500, of: 'p95' },
  warmSearch: { below: 15, of: 'p50' },
  memoryBefore: { below: 120, of: 'p95' },
  memoryAfter: { below: 300, of: 'p95' },
} as const;

/** Repetitions of each part. */
export interface Sizes {
  /** Processes per start-up figure. */
  starts: number;
  /** Warm calls of each operation. */
  calls: number;
  /** Processes whose memory is measured. */
  lives: number;
}

/** Measures the time from spawn to the tools/list response, beside a bare script with the same bytes. */
export function measureListing({ starts }: Sizes): Promise<Section> {
  return withHome(async (home) => {
    const bare = join(home, 'bare.mjs');
    const env = environment(home, null);
    const recorded = await withServer(home, null, async (server) => {
      const hello = await server.initialize();
      return [hello.line, (await server.ask('tools/list')).line];
    });
    writeFileSync(bare, bareScript(recorded));
    const spent = { ours: [] as number[], bare: [] as number[] };
    for (let start = 0; start < starts; start += 1) {
      // Alternate, so that a slow phase of the machine affects both.
      for (const [name, script] of [['bare', bare] as const, ['ours', BIN] as const]) {
        const server = new BenchServer(script, env);
        await server.initialize();
        const { line, at } = await server.ask('tools/list');
        if (line !== recorded[1]) throw new Error(`${name} sent a different response`);
        spent[name].push(at - server.spawnedAt);
        await server.close();
      }
    }
    const ratio = quantile(spent.ours, 0.5) / quantile(spent.bare, 0.5);
    return {
      title: 'Start, from spawn to the answer of tools/list',
      figures: [
        figure('quantshelf', 'ms', spent.ours),
        figure('bare Node script, same bytes', 'ms', spent.bare),
        figure('ratio of the two', 'times', [ratio], TARGET.listRatio),
      ],
    };
  });
}

/** A script without imports that answers the first two requests with fixed lines. */
function bareScript(lines: readonly string[]): string {
  return `const answers = ${JSON.stringify(lines)};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const parts = (rest + text).split('\\n');
  rest = parts.pop();
  for (const part of parts) {
    const { id } = JSON.parse(part);
    if (id !== undefined) process.stdout.write(answers[id - 1] + '\\n');
  }
});
`;
}

/** Measures a first start: the home is empty, so the first call installs the shelf. */
export async function measureFirstStart({ starts }: Sizes): Promise<Section> {
  const hello: number[] = [];
  const call: number[] = [];
  const row = operations.find(({ name }) => name === 'macro_indicator_search');
  if (row === undefined) throw new Error('the first call is not in the table: choose another');
  for (let start = 0; start < starts; start += 1) {
    await withHome((home) =>
      withServer(home, null, async (server) => {
        hello.push((await server.initialize()).at - server.spawnedAt);
        call.push(await server.call(row.name, row.example));
      }),
    );
  }
  return {
    title: 'First start, empty home',
    figures: [
      figure('spawn to initialize', 'ms', hello, TARGET.firstInitialize),
      figure('first call, which installs the shelf', 'ms', call),
    ],
  };
}

/** Measures the first search of a new process, and warm calls of every operation with its example. */
export function measureOperations({ calls, starts }: Sizes, modelDir: string): Promise<Section> {
  return withHome(async (home) => {
    const figures: Figure[] = [];
    // Calls that install the shelf and store the model's hashes, as after the first day of use.
    for (const row of operations) await firstCall(home, modelDir, row);
    for (const row of operations) {
      const isPromised = isSearch(row);
      if (isPromised) {
        const first: number[] = [];
        for (let start = 0; start < Math.min(starts, 7); start += 1) {
          first.push(await firstCall(home, modelDir, row));
        }
        figures.push(figure(`${row.name}, first of a process`, 'ms', first, TARGET.firstSearch));
      }
      const warm = await withServer(home, modelDir, async (server) => {
        await server.initialize();
        await server.call(row.name, row.example);
        const spent: number[] = [];
        for (let call = 0; call < calls; call += 1) {
          spent.push(await server.call(row.name, vary(row, call)));
        }
        return spent;
      });
      figures.push(figure(row.name, 'ms', warm, isPromised ? TARGET.warmSearch : undefined));
    }
    return { title: 'Calls with the model', figures };
  });
}

async function firstCall(home: string, modelDir: string, row: Operation): Promise<number> {
  return withServer(home, modelDir, async (server) => {
    await server.initialize();
    return server.call(row.name, row.example);
  });
}

/** Whether an operation embeds its query. */
function isSearch(row: Operation): boolean {
  return 'query' in row.input.shape;
}

/** The example with a new query for every call: the server caches the vectors of recent queries. */
function vary(row: Operation, call: number): object {
  const { example } = row;
  return isSearch(row) ? { ...example, query: `${example.query} ${call}` } : example;
}

/** Measures resident memory over the life of a process. */
export function measureMemory({ calls, lives }: Sizes, modelDir: string): Promise<Section> {
  return withHome(async (home) => {
    const marks = { start: [] as number[], before: [] as number[], after: [] as number[] };
    const long: number[] = [];
    const search = operations.filter(isSearch);
    for (let life = 0; life < lives; life += 1) {
      await withServer(home, modelDir, async (server) => {
        await server.initialize();
        await server.ask('tools/list');
        marks.start.push(server.residentMb());
        for (const row of operations.filter((each) => !isSearch(each))) {
          await server.call(row.name, row.example);
        }
        marks.before.push(server.residentMb());
        for (const row of search) await server.call(row.name, row.example);
        marks.after.push(server.residentMb());
        for (let call = 0; call < calls; call += 1) {
          for (const row of search) await server.call(row.name, vary(row, call));
        }
        long.push(server.residentMb());
      });
    }
    return {
      title: 'Resident memory of the server',
      figures: [
        figure('after the handshake', 'MB', marks.start, TARGET.memoryBefore),
        figure('before the first search, all else called', 'MB', marks.before, TARGET.memoryBefore),
        figure('after the first search', 'MB', marks.after, TARGET.memoryAfter),
        figure(`after ${calls * search.length} searches`, 'MB', long, TARGET.memoryAfter),
      ],
    };
  });
}
