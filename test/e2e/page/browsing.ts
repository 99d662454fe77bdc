import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { Database } from '../../../src/store/sqlite.ts';
import { startBrowser } from '../browser.ts';
import { makeShelf } from '../in-process.ts';
import { makeKey, startServing } from '../serving.ts';
import { type Env, storeIn } from '../support.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

/** A tab with the page, what went wrong in it, and what it asked for. */
export interface Tab {
  page: Page;
  faults: string[];
  addresses: string[];
}

/** A server on a starter shelf and a browser that looks at it. */
export interface Browsing {
  url: string;
  key: string;
  said(): string;
  /** The page in a tab of its own, closed when the test ends. */
  open(options?: BrowserContextOptions): Promise<Tab>;
  /** The same after the key was entered. */
  enter(options?: BrowserContextOptions): Promise<Tab>;
  ask(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * @param sql changes to the starter shelf before the server starts
 * @param env further settings of the server
 */
export async function startBrowsing(sql = '', env: Env = {}): Promise<Browsing> {
  const home = await makeShelf();
  const shelf = new Database(storeIn(home));
  shelf.exec(sql);
  shelf.close();
  const key = await makeKey(home, 'ada');
  const serving = await startServing(home, { env });
  const browser = await startBrowser();

  async function open(options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const faults: string[] = [];
    const addresses: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto(serving.url);
    await page.locator('details.operation').first().waitFor();
    return { page, faults, addresses };
  }

  return {
    url: serving.url,
    key,
    said: serving.said,
    open,
    async enter(options) {
      const tab = await open(options);
      await enterKey(tab.page, key);
      await tab.page.locator('.option').first().waitFor();
      return tab;
    },
    async ask(path) {
      const headers = { Authorization: `Bearer ${key}` };
      return (await fetch(serving.url + path, { headers })).json();
    },
    async stop() {
      await browser.close();
      await serving.stop();
    },
  };
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
}

/** Chooses these indicators alone. */
export async function choose(page: Page, indicators: readonly string[]): Promise<void> {
  const checked = page.locator('.option input:checked');
  while ((await checked.count()) > 0) await checked.first().uncheck();
  for (const indicator of indicators) {
    await page.locator(`.option input[value="${indicator}"]`).check();
  }
}

/** Ends when the plot of these indicators is shown: until then an earlier one may be. */
export async function draw(
  page: Page,
  indicators: readonly string[],
  range = 'newest',
): Promise<void> {
  await choose(page, indicators);
  await page.getByRole('combobox', { name: 'Range' }).selectOption(range);
  await page.getByRole('button', { name: /^Draw/ }).click();
  const figure = page.locator('#indicator-figure[aria-busy=false]:has(svg.plot)');
  for (const indicator of indicators) {
    await figure.locator('.sources code', { hasText: indicator }).first().waitFor();
  }
}

/** Asks for papers; ends when the answer is shown. */
export async function searchPapers(page: Page, query: string): Promise<void> {
  await search(page, 'paper', query);
}

/** Asks for events; ends when the answer is shown. */
export async function searchEvents(page: Page, query: string): Promise<void> {
  await search(page, 'event', query);
}

async function search(page: Page, prefix: 'paper' | 'event', query: string): Promise<void> {
  await page.locator(`#${prefix}-query`).fill(query);
  await page.locator(`#${prefix}-form button`).click();
  await page.locator(`#${prefix}-answers[aria-busy=false] .raw`).waitFor();
}

/** What axe has against the page as it is. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = violations.parse(await page.evaluate('axe.run().then((r) => r.violations)'));
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** What sticks out: the page past its window, or a part past its place without a way to scroll there. */
export async function overflowsOf(page: Page): Promise<string[]> {
  const found = await page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((part) => part instanceof HTMLElement && part.checkVisibility() && part.clientWidth > 1)
    .filter((part) => getComputedStyle(part).overflowX === 'visible')
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.outerHTML.slice(0, 120))
    .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`);
  return z.array(z.string()).parse(found);
}
