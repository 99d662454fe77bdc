import { operations } from '../operations.ts';

const OPERATIONS = operations.map(
  ({ name, price, title }) => `  ${name.padEnd(34)}${price}  ${title}`,
);

/** What the help of the program says after its commands. */
export const HELP_AFTER = `
Operations (credits per call):
${OPERATIONS.join('\n')}

Environment:
  QUANTSHELF_HOME       directory of the store and the model (default: the platform's data directory)
  QUANTSHELF_OFFLINE    1: never use the network
  QUANTSHELF_MODEL_DIR  a directory that already holds the model, such as models/ of another home
  QUANTSHELF_HUB_URL    base URL of the model hub
  QUANTSHELF_NPM_URL    base URL of the npm registry that has ONNX Runtime, which runs the model
  FRED_API_KEY          your own FRED key, for all macro figures and their vintages; free at
                        https://fred.stlouisfed.org/docs/api/api_key.html
  QUANTSHELF_CONTACT    your mail address, sent to arXiv with each request
  QUANTSHELF_PACE_MS    pause between requests, in milliseconds (for tests and mirrors)
  QUANTSHELF_ARXIV_OAI_URL, QUANTSHELF_ARXIV_API_URL, QUANTSHELF_ARXIV_WEB_URL, QUANTSHELF_AR5IV_URL
                        base URLs of arXiv's hosts, for mirrors
  QUANTSHELF_FRED_URL, QUANTSHELF_POLYMARKET_URL, QUANTSHELF_KALSHI_URL
                        base URLs of FRED, Polymarket and Kalshi
  QUANTSHELF_BLS_URL, QUANTSHELF_TREASURY_URL, QUANTSHELF_NYFED_URL,
  QUANTSHELF_FEDBOARD_URL, QUANTSHELF_BEA_URL, QUANTSHELF_CENSUS_URL, QUANTSHELF_FHFA_URL
                        base URLs of the agencies whose macro figures need no key
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY  the proxy, if you need one
  QUANTSHELF_CREDITS    initial credits of the local account (default: 100000)
  QUANTSHELF_RATE       calls per minute per key over HTTP (default: 120)

Exit codes: 0 success, 1 failure (or \`call\` printed an error), 2 wrong usage.`;
