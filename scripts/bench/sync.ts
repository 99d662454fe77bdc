import { startArxiv } from '../../test/stand-ins/arxiv.ts';
import { makePapers } from '../../test/stand-ins/arxiv-papers.ts';
import { makeWireEvent, startPolymarket } from '../../test/stand-ins/polymarket.ts';
import { readRecordedPapers } from '../eval/recorded-papers.ts';
import { figure, type Section } from './figures.ts';
import { timeProcess } from './process.ts';
import { BIN, withHome } from './server.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  memory: { below: 500, of: 'p50' },
} as const;

/** Measures time and memory of a full `sync papers` and `sync markets` from local stand-ins. */
export async function measureSyncs(
  { papers, events }: { papers: number; events: number },
  modelDir: string,
): Promise<Section> {
  const recorded = readRecordedPapers(papers);
  const records = recorded.length < papers ? makePapers(papers) : recorded;
  const arxiv = await startArxiv({ records, pageSize: 2_500 });
  const made = Array.from({ length: events }, (_, id) => makeWireEvent({ id: id + 1 }));
  const polymarket = await startPolymarket(made);
  try {
    const since = ['papers', '--since', '2020-01-01'];
    const own = await withHome((home) => sync(since, home, modelDir, arxiv.env));
    const theirs = await withHome((home) => sync(['markets'], home, modelDir, polymarket.env));
    return {
      title: 'Syncs from a local server',
      figures: [
        figure(`sync papers, per paper of ${papers}`, 'ms', [own.spent / papers]),
        figure(`sync markets, per event of ${events}`, 'ms', [theirs.spent / events]),
        ...[own, theirs].flatMap(({ peak }, at) =>
          peak === 0
            ? []
            : [
                figure(
                  `peak memory of sync ${['papers', 'markets'][at]}`,
                  'MB',
                  [peak],
                  TARGET.memory,
                ),
              ],
        ),
      ],
    };
  } finally {
    await arxiv.close();
    await polymarket.close();
  }
}

function sync(
  args: readonly string[],
  home: string,
  modelDir: string,
  env: Readonly<Record<string, string>>,
): Promise<{ spent: number; peak: number }> {
  return timeProcess(process.execPath, [BIN, 'sync', ...args], {
    env: {
      ...process.env,
      ...env,
      QUANTSHELF_HOME: home,
      QUANTSHELF_OFFLINE: '0',
      QUANTSHELF_PACE_MS: '0',
      QUANTSHELF_MODEL_DIR: modelDir,
    },
  });
}
