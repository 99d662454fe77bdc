import type { BrowserContextOptions, Page } from 'playwright-core';
import * as z from 'zod';
import { openTab, startBrowser } from '../browser.ts';
import { makeShelf } from '../in-process.ts';
import { makeKey, startServing } from '../serving.ts';
import { edit } from '../store.ts';
import { storeIn } from '../support.ts';

/** A server on a starter shelf, and a browser that shows its page. */
export type Browsing = Awaited<ReturnType<typeof startBrowsing>>;

export interface Tab {
  page: Page;
  faults: string[];
  /** Addresses of all requests. */
  addresses: string[];
}

/** Starts both on a starter shelf changed by `sql`. `launcher` is a command that becomes the server. */
export async function startBrowsing(sql: string, launcher: readonly string[] = []) {
  const home = await makeShelf();
  edit(storeIn(home), sql);
  const key = await makeKey(home, 'ada');
  const serving = await startServing(home, { launcher });
  const browser = await startBrowser();

  /** Opens the page in a tab of its own; returns it with its errors and requests. */
  async function open(options: BrowserContextOptions = {}, address = serving.url): Promise<Tab> {
    const { page, faults } = await openTab(browser, options);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto(address);
    await page.locator('#price', { hasText: 'credits' }).waitFor();
    return { page, faults, addresses };
  }

  return {
    home,
    url: serving.url,
    key,
    said: serving.said,
    open,
    /** Opens the page and enters the key. */
    async enter() {
      const tab = await open();
      await enterKey(tab.page, key);
      await tab.page.locator('#key-form').waitFor({ state: 'hidden' });
      // The field for a key appears after a refusal, which the browser logs as an error.
      tab.faults.length = 0;
      return tab;
    },
    stopServing: () => serving.stop(),
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

/** Searches all three areas and waits for their replies. */
export async function search(page: Page, query: string): Promise<void> {
  await page.getByRole('searchbox').fill(query);
  await page.getByRole('button', { name: /^Search/ }).click();
  const drawings = page.locator('.answer[aria-busy=false]');
  await drawings.nth(2).waitFor();
}

/** Goes to an address and waits until its content is drawn. */
export async function goTo(page: Page, hash: string): Promise<void> {
  // Draw anew even if the page shows this address already.
  await page.evaluate(`{
    history.replaceState(null, '', location.pathname);
    document.getElementById('found').replaceChildren();
    location.hash = ${JSON.stringify(hash)};
  }`);
  await page.locator('#found section:only-child .answer[aria-busy=false]').waitFor();
}

/**
 * Finds overflow: a page wider than its window, or a part wider than its box that cannot be scrolled. Skips
 * selects, which truncate their longest option: some versions of Chromium report its full width.
 */
export async function overflowsOf(page: Page): Promise<string[]> {
  const found = await page.evaluate(`[...document.querySelectorAll('body :not(select)')]
    .filter((part) => part instanceof HTMLElement && part.checkVisibility() && part.clientWidth > 1)
    .filter((part) => getComputedStyle(part).overflowX === 'visible')
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.outerHTML.slice(0, 120))
    .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`);
  return z.array(z.string()).parse(found);
}
