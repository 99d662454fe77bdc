import type { Env } from '../e2e/support.ts';
import { bundledFigures, startAgencies } from '../stand-ins/agencies.ts';
import { startArxiv } from '../stand-ins/arxiv.ts';
import { makePapers } from '../stand-ins/arxiv-papers.ts';
import { makeWireEvent, startPolymarket } from '../stand-ins/polymarket.ts';

/** A command from the docs, with arguments, and its expected output. */
export interface DocumentedCommand {
  /** A line for `sh` in a test folder; `$Q` starts the program. */
  line: string;
  /** Matches its output on stdout or stderr. */
  says: RegExp;
  /** Whether it sends requests, to stand-ins of the upstreams. */
  isOnline?: boolean;
  /** Whether it fails without the search model. */
  needsModel?: boolean;
}

const LIST = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"smoke","version":"1"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
].join('\\n');
const SYNCED = { isOnline: true, needsModel: true };

/** Commands that need the installed libraries, the input or signals; test/e2e covers all others. */
export const COMMANDS: Readonly<Record<string, DocumentedCommand>> = {
  '': { line: `printf '${LIST}\\n' | $Q`, says: /"prediction_market_event_read"/ },
  doctor: { line: '$Q doctor', says: /^ok +native_modules/m },
  'call …': {
    line: `$Q call paper_search '{"query": "Are trend signals redundant?", "topK": 1}'`,
    says: /"verdict": "(strong|weak|none)"/,
  },
  serve: {
    // `setsid`, because a signal to npx alone would leave the server behind.
    line: 'mkfifo log; setsid $Q serve --port 0 >log 2>&1 & grep -m1 listening log; kill -- -$!',
    says: /listening on http:/,
  },
  'sync papers --full-text …': {
    line: '$Q sync papers --full-text 1',
    says: /^papers: .* The shelf contains \d+ papers/m,
    ...SYNCED,
  },
  sync: {
    line: '$Q sync',
    says: /^papers: .* papers[\s\S]*^macro: (?!.*failed).* indicators[\s\S]*^markets: .* events/m,
    ...SYNCED,
  },
};

/** Stand-ins for all upstreams of a sync, and the environment that points to them. */
export async function startUpstreams(): Promise<{ env: Env; close(): Promise<void> }> {
  const [arxiv, agencies, polymarket] = await Promise.all([
    startArxiv({ records: makePapers(3) }),
    startAgencies(bundledFigures()),
    startPolymarket([makeWireEvent({ id: 900_001, title: 'Will the Fed cut its rate in May?' })]),
  ]);
  return {
    env: {
      ...arxiv.env,
      ...agencies.env,
      ...polymarket.env,
      QUANTSHELF_OFFLINE: '0',
      QUANTSHELF_PACE_MS: '1',
      QUANTSHELF_HUB_URL: 'http://127.0.0.1:9',
    },
    async close() {
      await Promise.all([arxiv.close(), agencies.close(), polymarket.close()]);
    },
  };
}
