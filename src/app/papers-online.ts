import type { Database } from 'better-sqlite3';
import { createParser } from '../areas/papers/full-text/parser.ts';
import { createPaperRefresher, type PaperRefresher } from '../areas/papers/refresh.ts';
import { type ArxivSource, createArxivSource } from '../areas/papers/source.ts';
import type { PapersOptions } from '../areas/papers/sync.ts';
import type { Config } from '../config.ts';
import { describeFailure } from './attempt.ts';
import { PAPER_PARSER } from './built.ts';
import {
  CALL_PATIENCE,
  type Client,
  connect,
  type Online,
  type Patience,
  type RefresherOptions,
  type SyncRun,
  syncPatience,
  type Upstream,
  withClients,
} from './clients.ts';

/** `db` must be writable: it stores the rate limit, which all processes share. */
function openArxiv(config: Config, db: Database, patience: Patience): Client<ArxivSource> {
  const { contact } = config;
  const isMail = contact?.includes('@') === true && !/^mailto:/i.test(contact);
  const address = isMail ? `mailto:${contact}` : contact;
  const { client, reachability } = connect('arxiv', config, db, patience, address);
  const source = createArxivSource(client, config.arxiv);
  return { source, reachability, close: client.close };
}

/** For a call that fetches a full text: files are large, and arXiv asks for 3 s between requests. */
const READ_PATIENCE = {
  ...CALL_PATIENCE,
  longestWaitMs: 15_000,
  faultMs: 1_000,
  deadlineMs: 90_000,
} as const satisfies Patience;

export function openPapers(options: RefresherOptions): Online<PaperRefresher> {
  const { source, reachability, close } = openArxiv(options.config, options.db, READ_PATIENCE);
  const refresher = createPaperRefresher({
    ...options,
    source,
    reachability,
    parse: createParser(PAPER_PARSER),
  });
  return { refresher, close: () => refresher.close().then(close) };
}

export const listUpstreams = ({ arxiv }: Config): Upstream[] => [['arxiv', arxiv.oaiUrl]];

export async function sync({ config, tools, onPause }: SyncRun, options: PapersOptions) {
  const { syncPapers } = await import('../areas/papers/sync.ts');
  return withClients((closing) =>
    syncPapers({
      ...tools,
      ...options,
      source: closing(openArxiv(config, tools.db, syncPatience(onPause))).source,
      parse: createParser(PAPER_PARSER),
      describeFault: (error) => describeFailure(error, config.home),
    }),
  );
}
