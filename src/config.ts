import { join, resolve } from 'node:path';
import * as z from 'zod';
import { readPath } from './core/disk.ts';
import { UsageError } from './core/errors.ts';

/** Settings from the environment, checked once and frozen. */
export type Config = ReturnType<typeof readConfig>;

const flag = z
  .enum(['0', '1', 'false', 'true'], { error: 'must be 1 or 0' })
  .default('0')
  .transform((value) => value === '1' || value === 'true');

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));
const url = (fallback: string) => baseUrl.default(fallback);

const whole = (form: RegExp, what: string) =>
  z
    .string()
    .regex(form, { error: `must be a whole number of ${what}` })
    .transform(Number);

/** Part of the User-Agent header. */
const contact = z.string().regex(/^[\x20-\x7e]{1,200}$/, {
  error: 'must be ASCII text on one line, at most 200 characters',
});

const PROXY_SCHEME = /^(?:https?|socks5?):$/;
/** The scheme is optional, as in other tools. The value may contain a password: never quote it. */
const proxyUrl = z.string().transform((value, refinement) => {
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && PROXY_SCHEME.test(new URL(address).protocol)) return address;
  refinement.addIssue('must be the URL of a proxy, such as http://proxy.example.org:3128');
  return z.NEVER;
});

/** Reads the environment. Throws a UsageError that names the invalid variable and what it accepts. */
export function readConfig(env: NodeJS.ProcessEnv, home = env.QUANTSHELF_HOME ?? '') {
  // Many hosts pass an unset setting as an empty variable.
  const text = (name: string) => env[name] || undefined;
  function read<T>(name: string, form: z.ZodType<T>, value = text(name)): T {
    const parsed = form.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new UsageError(`${name} ${parsed.error.issues[0]?.message ?? 'is invalid'}.`);
  }
  // By convention, the lower-case spelling takes precedence.
  const lowerOr = (name: string) => text(name.toLowerCase()) ?? text(name);
  const readProxyUrl = (name: string) => read(name, proxyUrl.optional(), lowerOr(name));
  const modelDir = text('QUANTSHELF_MODEL_DIR');
  return Object.freeze({
    /** Directory of the store and the model cache. */
    home: resolve(home),
    /** Disables all outgoing requests. */
    offline: read('QUANTSHELF_OFFLINE', flag),
    /** A directory with the model and, optionally, its runtime. */
    modelDir: modelDir && readPath(modelDir),
    hubUrl: read('QUANTSHELF_HUB_URL', url('https://huggingface.co')),
    /** Base URL of an npm registry to ask directly, without npm. */
    npmUrl: read('QUANTSHELF_NPM_URL', baseUrl.optional()),
    /** The whole environment, since npm's settings may refer to any variable. */
    env,
    /** Credits granted to the local account when the store is created. */
    credits: read('QUANTSHELF_CREDITS', whole(/^\d{1,15}$/, 'credits below 1e15').default(100_000)),
    /** Calls per minute that the HTTP door allows a key. */
    rate: read('QUANTSHELF_RATE', whole(/^[1-9]\d{0,8}$/, 'calls, 1 to 999,999,999').default(120)),
    /** Address at which arXiv can reach the user. */
    contact: read('QUANTSHELF_CONTACT', contact.optional()),
    /** Overrides the interval between requests to an upstream and the first back-off, in milliseconds. */
    paceMs: read('QUANTSHELF_PACE_MS', whole(/^\d{1,7}$/, 'milliseconds below 1e7').optional()),
    /** The user's own FRED key, unchecked. */
    fredKey: text('FRED_API_KEY'),
    fredUrl: read('QUANTSHELF_FRED_URL', url('https://api.stlouisfed.org')),
    agencies: Object.freeze({
      bls: read('QUANTSHELF_BLS_URL', url('https://api.bls.gov/publicAPI/v1')),
      treasury: read(
        'QUANTSHELF_TREASURY_URL',
        url('https://home.treasury.gov/resource-center/data-chart-center/interest-rates'),
      ),
      new_york_fed: read('QUANTSHELF_NYFED_URL', url('https://markets.newyorkfed.org/api')),
      fed_board: read('QUANTSHELF_FEDBOARD_URL', url('https://www.federalreserve.gov')),
      bea: read('QUANTSHELF_BEA_URL', url('https://apps.bea.gov')),
      census: read('QUANTSHELF_CENSUS_URL', url('https://www.census.gov')),
      fhfa: read('QUANTSHELF_FHFA_URL', url('https://www.fhfa.gov')),
    }),
    venues: Object.freeze({
      polymarket: read('QUANTSHELF_POLYMARKET_URL', url('https://gamma-api.polymarket.com')),
      kalshi: read('QUANTSHELF_KALSHI_URL', url('https://external-api.kalshi.com/trade-api/v2')),
    }),
    arxiv: Object.freeze({
      oaiUrl: read('QUANTSHELF_ARXIV_OAI_URL', url('https://oaipmh.arxiv.org/oai')),
      webUrl: read('QUANTSHELF_ARXIV_WEB_URL', url('https://arxiv.org')),
      ar5ivUrl: read('QUANTSHELF_AR5IV_URL', url('https://ar5iv.labs.arxiv.org')),
    }),
    /** The outbound proxy, if any; see `ProxyRoute` in the upstream client. */
    proxy: chooseProxy(
      readProxyUrl('HTTP_PROXY'),
      readProxyUrl('HTTPS_PROXY'),
      lowerOr('NO_PROXY') ?? '',
    ),
    /** Settings folders that the environment sets for MCP hosts, by their placeholders in data/hosts.json. */
    hostFolders: Object.freeze<Readonly<Record<string, string | undefined>>>({
      appdata: text('APPDATA'),
      claude: text('CLAUDE_CONFIG_DIR'),
      cline: text('CLINE_DIR'),
      codex: text('CODEX_HOME'),
      config: text('XDG_CONFIG_HOME'),
      copilot: text('COPILOT_HOME'),
      gemini: text('GEMINI_CLI_HOME'),
    }),
  });
}

/** Without a proxy of its own, https uses the one for http. */
function chooseProxy(http: string | undefined, https = http, except = '') {
  if (https === undefined || except.trim() === '*') return undefined;
  return Object.freeze({ http: http ?? '', https, except });
}

export function storePath(home: string): string {
  return join(home, 'quantshelf.sqlite');
}

export function syncLockPath(home: string, area: string): string {
  return join(home, `sync-${area}.lock`);
}
