import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, environment, runProcess } from '../test/e2e/support.ts';
import { type Model, startModel, type ToolCall } from './hosts/model.ts';
import { LOOPBACK } from './loopback.ts';
import { answerHelp } from './usage.ts';

const CALLS: readonly ToolCall[] = [
  { tool: 'paper_search', input: { query: 'volatility', topK: 10 } },
  { tool: 'paper_read', input: { paperCardId: '2510.23150' } },
  { tool: 'macro_indicator_search', input: { limit: 100 } },
  {
    tool: 'macro_indicator_history',
    input: { series_id: 'DFF', start_date: '1960-01-01', end_date: '2026-12-31' },
  },
  { tool: 'prediction_market_event_browse', input: {} },
  { tool: 'prediction_market_event_search', input: { query: 'bitcoin and the fed', limit: 20 } },
  { tool: 'prediction_market_event_read', input: { event_card_id: 'pme_16096' } },
];
const LONGEST_MS = 10 * 60_000;
/** A host's working directory and environment. */
interface Stage {
  folder: string;
  home: string;
  url: string;
  server: { command: string; args: readonly string[]; env: Record<string, string> };
}
interface Command {
  command: readonly string[];
  env?: Record<string, string>;
}
interface Host {
  title: string;
  /** Packages to install; the version of the first is reported. */
  packages: readonly string[];
  drive(stage: Stage): Command;
}

const PROMPT = 'Call every tool.';
/** The command that runs a script in scripts/hosts. */
const script =
  (file: string) =>
  ({ folder, server, url }: Stage): Command => ({
    command: [
      process.execPath,
      join(folder, file),
      JSON.stringify({ ...server, model: `${url}/v1` }),
    ],
  });
const mcpServers = ({ server }: Stage, more: object = {}) =>
  JSON.stringify({ mcpServers: { quantshelf: { type: 'stdio', ...server, ...more } } });
/** The command of an installed package; `options` are split at spaces. */
const installed = (
  { folder }: Stage,
  name: string,
  options: string,
  ...more: readonly string[]
) => [join(folder, 'node_modules', '.bin', name), ...options.split(' '), ...more];
/** A value as inline TOML. */
function toToml(value: unknown): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const pairs = Object.entries(value).map(([name, each]) => `${name}=${toToml(each)}`);
  return `{${pairs.join(',')}}`;
}

const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': {
    title: 'Claude Code',
    packages: ['@anthropic-ai/claude-code@2.1.332'],
    drive: (stage) => ({
      command: installed(
        stage,
        'claude',
        '--strict-mcp-config --model claude-sonnet-4-5 --allowedTools mcp__quantshelf',
        ...['--mcp-config', mcpServers(stage), '-p', PROMPT],
      ),
      env: {
        ANTHROPIC_BASE_URL: stage.url,
        ANTHROPIC_API_KEY: 'none',
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    }),
  },
  codex: {
    title: 'Codex',
    packages: ['@openai/codex@0.171.0'],
    drive(stage) {
      const { command, args, env } = stage.server;
      const provider = { name: 'loopback', base_url: `${stage.url}/v1`, wire_api: 'responses' };
      const settings = {
        model_provider: 'loopback',
        model: 'gpt-5.5',
        'model_providers.loopback': provider,
        'mcp_servers.quantshelf': { command, args, env },
      };
      return {
        command: installed(
          stage,
          'codex',
          'exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox',
          ...Object.entries(settings).flatMap(([name, value]) => [
            '-c',
            `${name}=${toToml(value)}`,
          ]),
          PROMPT,
        ),
        env: { CODEX_HOME: stage.home },
      };
    },
  },
  qwen: {
    title: 'qwen-code',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    drive: (stage) => ({
      command: installed(
        stage,
        'qwen',
        `--yolo --auth-type openai --openai-api-key none --openai-base-url ${stage.url}/v1`,
        ...['--mcp-config', mcpServers(stage, { trust: true }), '--model', 'loopback', PROMPT],
      ),
    }),
  },
  copilot: {
    title: 'Copilot CLI',
    packages: ['@github/copilot@1.0.102'],
    drive: (stage) => ({
      command: installed(
        stage,
        'copilot',
        '--allow-all-tools --disable-builtin-mcps',
        ...['--additional-mcp-config', mcpServers(stage, { type: 'local', tools: ['*'] })],
        ...['-p', PROMPT],
      ),
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `${stage.url}/v1`,
        COPILOT_MODEL: 'gpt-5',
        COPILOT_HOME: stage.home,
      },
    }),
  },
  langchain: {
    title: 'LangChain',
    packages: [
      '@langchain/mcp-adapters@1.1.4',
      '@langchain/openai@1.6.0',
      '@langchain/core@1.4.0',
      'langchain@1.5.14',
    ],
    drive: script('langchain.mjs'),
  },
  'openai-agents': {
    title: 'OpenAI Agents',
    packages: ['@openai/agents@0.20.0', 'zod@4.6.7'],
    drive: script('openai-agents.mjs'),
  },
  'ai-sdk': {
    title: 'AI SDK',
    packages: ['@ai-sdk/mcp@2.0.99', 'ai@7.0.173', '@ai-sdk/openai@4.0.118'],
    drive: script('ai-sdk.mjs'),
  },
};

async function main(): Promise<void> {
  answerHelp(`
Usage: npm run hosts -- [--folder DIR] [HOST...]

Installs MCP hosts into a temporary folder, or into DIR, which is kept, and drives each with a model on loopback
that calls the build's seven tools. Prints how many characters reach the model. Stops a host after ten minutes.

HOST is one of ${Object.keys(HOSTS).join(', ')}; all if none is named.
`);
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { folder: { type: 'string' } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(HOSTS);
  const root = options.folder ?? mkdtempSync(join(tmpdir(), 'quantshelf-hosts-'));
  const shelf = join(root, 'shelf');
  mkdirSync(shelf, { recursive: true });
  const model = await startModel(CALLS);
  try {
    for (const name of names) {
      const host = HOSTS[name];
      if (host === undefined)
        throw new Error(`unknown host ${name}; the hosts are ${Object.keys(HOSTS).join(', ')}`);
      const row = await driveHost(name, host, { root: resolve(root), shelf, model });
      process.stdout.write(`${row}\n`);
    }
  } finally {
    model.close();
    if (options.folder === undefined) rmSync(root, { recursive: true, force: true });
  }
}

async function driveHost(
  name: string,
  { title, packages, drive }: Host,
  { root, shelf, model }: { root: string; shelf: string; model: Model },
): Promise<string> {
  const folder = join(root, name);
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  cpSync(join(import.meta.dirname, 'hosts'), folder, { recursive: true });
  if (!existsSync(join(folder, 'node_modules')))
    await runProcess('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  const settings = environment(shelf, { QUANTSHELF_MODEL_DIR: join(folder, 'no-model') });
  const env = Object.fromEntries(
    Object.entries(settings).filter(([each]) => each.startsWith('QUANTSHELF_')),
  );
  const server = { command: process.execPath, args: [bin], env };
  model.reset();
  const stage = { folder, home, url: model.url, server };
  const { command, env: more } = drive(stage);
  const [program = '', ...args] = command;
  const { stdout, stderr } = await runProcess(program, args, {
    cwd: folder,
    env: { ...process.env, ...LOOPBACK, HOME: home, USERPROFILE: home, ...more },
    timeout: LONGEST_MS,
  });
  const lengths = CALLS.map((_, at) => model.results[at]?.length.toLocaleString('en-US') ?? '–');
  if (model.results.length < CALLS.length)
    process.stderr.write(`${title}: ${(stdout + stderr).slice(-3_000)}\n`);
  const [first = ''] = packages;
  return `| ${title} ${first.slice(first.lastIndexOf('@') + 1)} | ${lengths.join(' | ')} |`;
}

await main();
