import type { Operation } from '../core/operation.ts';

/** `quantshelf --help`. The operations come from the table. */
export function helpText(operations: readonly Operation[]): string {
  return `quantshelf: papers, U.S. macro indicators and prediction markets for AI agents, on this machine.

Usage
  quantshelf                          MCP server on stdin and stdout (what an MCP host starts)
  quantshelf call <operation> '<json>'  one operation; prints its envelope
  quantshelf sync [papers|macro|markets] [options] [--json]
                                      refreshes the shelf from arXiv, FRED and Polymarket, or one of them;
                                      stop it at any point, the next goes on
    papers: --since DATE              what changed since that day (YYYY-MM-DD), not since the last sync
            --set SET                 a group or category of arXiv: q-fin (default), q-fin.PM, econ.GN
            --limit N                 at most N papers that are new or changed; the next sync goes on
            --full-text N             then the full texts of the N newest papers without one
    macro:                            every series that FRED says has changed; needs FRED_API_KEY
    markets: --busiest                the most traded events only
  quantshelf status [--json]          what the shelf holds and how old it is
  quantshelf doctor [--json]          checks the installation and says how to mend it
  quantshelf model [--json]           fetches and verifies the embedding model ahead of time
  quantshelf serve [--host 127.0.0.1] [--port 8787] [--rate 120] [--allow-host NAME]
                                      the operations as REST, and MCP at /mcp, for callers with a key;
                                      --port 0 picks a free port, --rate is calls a minute and key
  quantshelf keys create NAME [--credits 10000] [--scopes papers,macro,markets] [--json]
                                      makes a key for \`serve\` and prints it, once
  quantshelf keys list [--usage] [--json]  all accounts; --usage sums up what each has paid for
  quantshelf keys grant NAME N [--json]    adds N credits to an account ("local" is yours)
  quantshelf keys revoke NAME [--json]     shuts a key for good
  quantshelf help | --help | --version

Operations (credits a call)
${operations.map((operation) => `  ${operation.name.padEnd(34)}${operation.price}  ${operation.title}`).join('\n')}

Environment
  QUANTSHELF_HOME       directory of store and model (default: the platform's data directory)
  QUANTSHELF_OFFLINE    1: never touch the network
  QUANTSHELF_MODEL_DIR  a directory that already holds the model
  QUANTSHELF_HUB_URL    base URL of the model hub
  FRED_API_KEY          your own key to FRED, for current macro figures; free at
                        https://fred.stlouisfed.org/docs/api/api_key.html
  QUANTSHELF_CONTACT    your mail address, told to arXiv with each request
  QUANTSHELF_PACE_MS    replaces the pauses between requests (for tests and mirrors)
  QUANTSHELF_ARXIV_OAI_URL, QUANTSHELF_ARXIV_API_URL, QUANTSHELF_ARXIV_WEB_URL, QUANTSHELF_AR5IV_URL
                        base URLs of arXiv's hosts, for mirrors
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY   the way out, where the network has no other
  QUANTSHELF_FRED_URL, QUANTSHELF_POLYMARKET_URL  base URLs of FRED and Polymarket
  QUANTSHELF_CREDITS    credits of the local account when the store is made (100000)
  QUANTSHELF_RATE       calls a minute and key over HTTP (120)

Exit codes: 0 done, 1 the work failed (or \`call\` printed an error), 2 wrong usage of the command line.`;
}
