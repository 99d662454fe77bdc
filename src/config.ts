import { join, resolve } from 'node:path';
import * as z from 'zod';
import { readPath } from './core/home.ts';

/** What the environment says, checked once and frozen. */
export type Config = ReturnType<typeof readConfig>;

/** Wrong usage of the command line or the environment; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Whether the message is a help text, whose lines and columns are to be kept. */
  readonly isHelp: boolean;

  constructor(message: string, { isHelp = false } = {}) {
    super(message);
    this.isHelp = isHelp;
  }
}

const flag = z
  .enum(['', '0', '1', 'false', 'true'], { error: 'must be 1 or 0' })
  .transform((value) => value === '1' || value === 'true');

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

const PROXY_SCHEME = /^(?:https?|socks5?):$/;
/** Written with or without its scheme, as elsewhere; the value may hold a password. */
const proxyUrl = z.string().transform((value, context) => {
  const url = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(url) && PROXY_SCHEME.test(new URL(url).protocol)) return url;
  context.addIssue('must be the URL of a proxy, such as http://proxy.example.org:3128');
  return z.NEVER;
});

const environment = z.object({
  QUANTSHELF_OFFLINE: flag.default(false),
  QUANTSHELF_MODEL_DIR: z.string().optional(),
  QUANTSHELF_HUB_URL: baseUrl.default('https://huggingface.co'),
  QUANTSHELF_NPM_URL: baseUrl.optional(),
  // npx tells the programs that it starts which registry it uses.
  npm_config_registry: baseUrl.default('https://registry.npmjs.org'),
  FRED_API_KEY: z.string().optional(),
  QUANTSHELF_FRED_URL: baseUrl.default('https://api.stlouisfed.org'),
  QUANTSHELF_BLS_URL: baseUrl.default('https://api.bls.gov/publicAPI/v1'),
  QUANTSHELF_TREASURY_URL: baseUrl.default(
    'https://home.treasury.gov/resource-center/data-chart-center/interest-rates',
  ),
  QUANTSHELF_NYFED_URL: baseUrl.default('https://markets.newyorkfed.org/api'),
  QUANTSHELF_FEDBOARD_URL: baseUrl.default('https://www.federalreserve.gov'),
  QUANTSHELF_BEA_URL: baseUrl.default('https://apps.bea.gov'),
  QUANTSHELF_CENSUS_URL: baseUrl.default('https://www.census.gov'),
  QUANTSHELF_FHFA_URL: baseUrl.default('https://www.fhfa.gov'),
  QUANTSHELF_POLYMARKET_URL: baseUrl.default('https://gamma-api.polymarket.com'),
  QUANTSHELF_KALSHI_URL: baseUrl.default('https://external-api.kalshi.com/trade-api/v2'),
  QUANTSHELF_ARXIV_OAI_URL: baseUrl.default('https://oaipmh.arxiv.org/oai'),
  QUANTSHELF_ARXIV_API_URL: baseUrl.default('https://export.arxiv.org'),
  QUANTSHELF_ARXIV_WEB_URL: baseUrl.default('https://arxiv.org'),
  QUANTSHELF_AR5IV_URL: baseUrl.default('https://ar5iv.labs.arxiv.org'),
  // It goes into a header, so it is plain and on one line.
  QUANTSHELF_CONTACT: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, {
      error: 'must be plain text on one line, at most 200 characters',
    })
    .optional(),
  QUANTSHELF_PACE_MS: z
    .string()
    .regex(/^\d{1,7}$/, { error: 'must be a whole number of milliseconds' })
    .transform(Number)
    .optional(),
  HTTP_PROXY: proxyUrl.optional(),
  HTTPS_PROXY: proxyUrl.optional(),
  NO_PROXY: z.string().optional(),
  APPDATA: z.string().optional(),
  CLAUDE_CONFIG_DIR: z.string().optional(),
  CLINE_DIR: z.string().optional(),
  CODEX_HOME: z.string().optional(),
  COPILOT_HOME: z.string().optional(),
  GEMINI_CLI_HOME: z.string().optional(),
  XDG_CONFIG_HOME: z.string().optional(),
  QUANTSHELF_CREDITS: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a whole number of credits' })
    .transform(Number)
    .default(100_000),
  QUANTSHELF_RATE: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'must be a whole number of calls above 0' })
    .transform(Number)
    .default(120),
});

/**
 * Reads the environment; `home` is what `findHome` found. Throws a UsageError that names the variable
 * and what it takes.
 */
export function readConfig(env: NodeJS.ProcessEnv, home = env.QUANTSHELF_HOME ?? '') {
  // An empty variable is how many hosts write "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  // By convention the lower-case spelling wins.
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    given[name] = given[name.toLowerCase()] ?? given[name];
  }
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(`${String(issue?.path[0])} ${issue?.message ?? 'is wrong'}.`);
  }
  const { data } = parsed;
  return Object.freeze({
    /** Directory of the store and the model cache. */
    home: resolve(home),
    /** Never touch the network. */
    offline: data.QUANTSHELF_OFFLINE,
    /** A directory that already holds the model, and may hold its runtime. */
    modelDir: data.QUANTSHELF_MODEL_DIR && readPath(data.QUANTSHELF_MODEL_DIR),
    hubUrl: data.QUANTSHELF_HUB_URL,
    npmUrl: data.QUANTSHELF_NPM_URL ?? data.npm_config_registry,
    /** Credits that the local account is granted when the store is made. */
    credits: data.QUANTSHELF_CREDITS,
    /** Calls a minute that the HTTP door grants a key. */
    rate: data.QUANTSHELF_RATE,
    /** Address at which an upstream can reach the user; part of the User-Agent. */
    contact: data.QUANTSHELF_CONTACT,
    /** Replaces the interval between requests to an upstream and the base of every back-off. */
    paceMs: data.QUANTSHELF_PACE_MS,
    /** The user's own FRED key, unchecked. */
    fredKey: data.FRED_API_KEY,
    fredUrl: data.QUANTSHELF_FRED_URL,
    /** Base URLs of the agencies that publish figures without a key. */
    agencies: Object.freeze({
      bls: data.QUANTSHELF_BLS_URL,
      treasury: data.QUANTSHELF_TREASURY_URL,
      new_york_fed: data.QUANTSHELF_NYFED_URL,
      fed_board: data.QUANTSHELF_FEDBOARD_URL,
      bea: data.QUANTSHELF_BEA_URL,
      census: data.QUANTSHELF_CENSUS_URL,
      fhfa: data.QUANTSHELF_FHFA_URL,
    }),
    polymarketUrl: data.QUANTSHELF_POLYMARKET_URL,
    kalshiUrl: data.QUANTSHELF_KALSHI_URL,
    /** Where the user keeps the settings of MCP hosts, if elsewhere than usual; by the names of data/hosts.json. */
    hostFolders: Object.freeze<Readonly<Record<string, string | undefined>>>({
      appdata: data.APPDATA,
      claude: data.CLAUDE_CONFIG_DIR,
      cline: data.CLINE_DIR,
      codex: data.CODEX_HOME,
      config: data.XDG_CONFIG_HOME,
      copilot: data.COPILOT_HOME,
      gemini: data.GEMINI_CLI_HOME,
    }),
    /** The proxy to the outside, if any; see `ProxyRoute` of the upstream client. */
    proxy: readProxy(data),
    arxiv: Object.freeze({
      oaiUrl: data.QUANTSHELF_ARXIV_OAI_URL,
      apiUrl: data.QUANTSHELF_ARXIV_API_URL,
      webUrl: data.QUANTSHELF_ARXIV_WEB_URL,
      ar5ivUrl: data.QUANTSHELF_AR5IV_URL,
    }),
  });
}

/** Without a proxy of its own, https uses the one for http. */
function readProxy({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY = '' }: z.output<typeof environment>) {
  const https = HTTPS_PROXY ?? HTTP_PROXY;
  if (https === undefined || NO_PROXY.trim() === '*') return undefined;
  return Object.freeze({ http: HTTP_PROXY ?? '', https, except: NO_PROXY });
}

/** The file that holds a user's store. */
export function storePath(home: string): string {
  return join(home, 'quantshelf.sqlite');
}

/** The lock of whoever syncs an area. */
export function syncLockPath(home: string, area: string): string {
  return join(home, `sync-${area}.lock`);
}
