import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import * as z from 'zod';
import { openTab } from '../../browser.ts';
import type { AppHost } from './server.ts';

type Args = Record<string, unknown>;

/** The built program, driven as a host does. */
export interface Program {
  client: Client;
  close(): Promise<void>;
}

/** `node` runs `bin`, the program itself. */
export async function startProgram(
  node: string,
  bin: string,
  env: Record<string, string>,
): Promise<Program> {
  const client = new Client({ name: 'quantshelf-tests', version: '1' });
  const child = { command: node, args: [bin], env, stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport(child));
  return { client, close: () => client.close() };
}

const document = z.object({
  contents: z.tuple([
    z.object({ mimeType: z.literal('text/html;profile=mcp-app'), text: z.string() }),
  ]),
});
const linked = z.object({ ui: z.object({ resourceUri: z.string() }) });

/** The HTML of a tool's view, read from the program. */
export async function readView({ client }: Program, tool: string): Promise<string> {
  const { tools } = await client.listTools();
  const meta = tools.find(({ name }) => name === tool)?._meta;
  const { resourceUri } = linked.parse(meta).ui;
  const { contents } = document.parse(await client.readResource({ uri: resourceUri }));
  return contents[0].text;
}

export interface Shown {
  page: Page;
  /** The frame of the view. */
  view: Frame;
  /** Errors and warnings of any frame, including policy violations. */
  faults: string[];
  /** Addresses requested since the sandbox was loaded. */
  requests: string[];
  /** Calls that the view made. */
  calls: { name: string; args: Args }[];
  links: string[];
  /** What the view told the model. */
  told: string[];
}

export interface Showing {
  tool: string;
  args: Args;
  html?: string;
  /** Replaces the program's answer. */
  result?: object;
  theme?: 'light' | 'dark';
  styles?: Record<string, string>;
  capabilities?: Record<string, object>;
  /** Leaves the view waiting for its answer. */
  isOpen?: boolean;
  /** Answers calls of the view instead of the program. */
  onCall?(name: string, args: Args): Promise<object>;
}

/** Calls a tool and shows its view in a new page of the host. */
export async function showView(
  browser: Browser,
  host: AppHost,
  program: Program,
  showing: Showing,
  options: BrowserContextOptions = {},
): Promise<Shown> {
  const { tool: name, args, theme = 'light' } = showing;
  const { client } = program;
  const { page, faults } = await openTab(browser, options);
  const requests: string[] = [];
  const links: string[] = [];
  const told: string[] = [];
  const calls: Shown['calls'] = [];
  await page.exposeFunction('passOn', (called: string, given: Args) => {
    calls.push({ name: called, args: given });
    return showing.onCall?.(called, given) ?? client.callTool({ name: called, arguments: given });
  });
  await page.exposeFunction('readThrough', (uri: string) => client.readResource({ uri }));
  await page.exposeFunction('openedLink', (url: string) => {
    links.push(url);
  });
  await page.exposeFunction('toldModel', (text: string) => {
    told.push(text);
  });
  await page.goto(host.url);
  page.on('request', (request) => {
    if (!request.url().startsWith(host.sandboxUrl)) requests.push(request.url());
  });
  const html = showing.html ?? (await readView(program, name));
  const { tools } = await client.listTools();
  await call(page, 'show', {
    html,
    tool: tools.find((each) => each.name === name),
    context: {
      theme,
      availableDisplayModes: ['inline', 'fullscreen'],
      ...(showing.styles && { styles: { variables: showing.styles } }),
    },
    capabilities: showing.capabilities ?? {
      serverTools: {},
      openLinks: {},
      updateModelContext: {},
    },
    input: args,
  });
  const view = page.frames().find((frame) => frame.url() === 'about:srcdoc');
  if (view === undefined) throw new Error('the view has no frame');
  if (showing.isOpen !== true) {
    const result = showing.result ?? (await client.callTool({ name, arguments: args }));
    await call(page, 'sendResult', result);
    await view.locator('#view[aria-busy=false]').waitFor();
  }
  return { page, view, faults, requests, calls, links, told };
}

/** Calls a function of the host page. */
export function call(page: Page, name: string, argument: unknown): Promise<unknown> {
  return page.evaluate(`window.host[${JSON.stringify(name)}](${JSON.stringify(argument)})`);
}
