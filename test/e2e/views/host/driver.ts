import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import * as z from 'zod';
import { openTab } from '../../browser.ts';
import type { AppHost } from './server.ts';

type Args = Record<string, unknown>;

/** Starts the program `bin` on `node`, and a client of it. */
export async function startProgram(
  node: string,
  bin: string,
  env: Record<string, string>,
): Promise<Client> {
  const client = new Client({ name: 'quantshelf-tests', version: '1' });
  const child = { command: node, args: [bin], env, stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport(child));
  return client;
}

const document = z.object({
  contents: z.tuple([
    z.object({ mimeType: z.literal('text/html;profile=mcp-app'), text: z.string() }),
  ]),
});
const linked = z.object({ ui: z.object({ resourceUri: z.string() }) });

/** The HTML of a tool's view, read from the program. */
async function readView(client: Client, tool: string): Promise<string> {
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
  /** Addresses requested outside the sandbox since the host page was loaded. */
  requests: string[];
  /** Calls that the view made. */
  calls: { name: string; args: Args }[];
  links: string[];
  /** Texts that the view has passed to the model. */
  told: string[];
}

export interface Showing {
  tool: string;
  args: Args;
  /** A reply in place of the program's. */
  result?: object;
  theme?: 'light' | 'dark';
  capabilities?: Record<string, object>;
  /** Leaves the view waiting for its reply. */
  isOpen?: boolean;
  /** Answers the view's calls in place of the program. */
  onCall?(name: string, args: Args): Promise<object>;
}

const ALL_CAPABILITIES = { serverTools: {}, openLinks: {}, updateModelContext: {} };

/** A tab with the host page, which shows one view after another. */
export interface HostTab {
  page: Page;
  /** Calls a tool and shows its view. */
  show(showing: Showing): Promise<Shown>;
}

export async function openHost(
  browser: Browser,
  host: AppHost,
  client: Client,
  options: BrowserContextOptions = {},
): Promise<HostTab> {
  const { page, faults } = await openTab(browser, options);
  const { tools } = await client.listTools();
  const views = new Map<string, string>();
  const newRecord = () => ({
    requests: [] as string[],
    calls: [] as Shown['calls'],
    links: [] as string[],
    told: [] as string[],
  });
  let record = newRecord();
  let onCall: Showing['onCall'];
  await page.exposeFunction('passOn', (name: string, args: Args) => {
    record.calls.push({ name, args });
    return onCall?.(name, args) ?? client.callTool({ name, arguments: args });
  });
  await page.exposeFunction('readThrough', (uri: string) => client.readResource({ uri }));
  await page.exposeFunction('openedLink', (url: string) => void record.links.push(url));
  await page.exposeFunction('toldModel', (text: string) => void record.told.push(text));
  await page.goto(host.url);
  page.on('request', (request) => {
    if (!request.url().startsWith(host.sandboxUrl)) record.requests.push(request.url());
  });
  return {
    page,
    async show(showing) {
      const { tool: name, args, theme = 'light' } = showing;
      const html = views.get(name) ?? (await readView(client, name));
      views.set(name, html);
      faults.length = 0;
      record = newRecord();
      onCall = showing.onCall;
      await call(page, 'show', {
        html,
        tool: tools.find((each) => each.name === name),
        context: { theme, availableDisplayModes: ['inline', 'fullscreen'] },
        capabilities: showing.capabilities ?? ALL_CAPABILITIES,
        input: args,
      });
      const view = page.frames().find((frame) => frame.url() === 'about:srcdoc');
      if (view === undefined) throw new Error('the view has no frame');
      if (showing.isOpen !== true) {
        const result = showing.result ?? (await client.callTool({ name, arguments: args }));
        await call(page, 'sendResult', result);
        await view.locator('#view[aria-busy=false]').waitFor();
      }
      return { page, view, faults, ...record };
    },
  };
}

/** Calls a function of the host page. */
export function call(page: Page, name: string, argument: unknown): Promise<unknown> {
  return page.evaluate(`window.host[${JSON.stringify(name)}](${JSON.stringify(argument)})`);
}
