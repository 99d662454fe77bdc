import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openTab, startBrowser } from '../browser.ts';
import { makeShelf } from '../in-process.ts';
import { makeKey, startServing } from '../serving.ts';
import { edit } from '../store.ts';
import { storeIn } from '../support.ts';

/** A server on a starter shelf and a browser that looks at it. */
export type Browsing = Awaited<ReturnType<typeof startBrowsing>>;

/** @param sql changes to the starter shelf before the server starts */
export async function startBrowsing(sql: string) {
  const home = await makeShelf();
  edit(storeIn(home), sql);
  const key = await makeKey(home, 'ada');
  const serving = await startServing(home);
  const browser = await startBrowser();

  /** The page in a tab of its own, what went wrong in it, and what it asked for; closed when the test ends. */
  async function open(options: BrowserContextOptions = {}) {
    const { page, faults } = await openTab(browser, options);
    onTestFinished(() => page.context().close());
    const addresses: string[] = [];
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
    /** The same after the key was entered. */
    async enter(options?: BrowserContextOptions) {
      const tab = await open(options);
      await enterKey(tab.page, key);
      await tab.page.locator('#first:enabled').waitFor();
      return tab;
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

/** Draws one indicator, or two; ends when their lines are shown. */
export async function draw(page: Page, first: string, second = ''): Promise<void> {
  await page.locator('#first').selectOption(first);
  await page.locator('#second').selectOption(second);
  await page.getByRole('button', { name: /^Draw/ }).click();
  const shown = page.locator('#chart-answer[aria-busy=false]');
  const lines = shown.locator('.reader path.line');
  await expect.poll(() => lines.count()).toBe(second === '' ? 1 : 2);
}

/** The form of a tool, opened. */
export async function openTool(page: Page, tool: string): Promise<Locator> {
  const form = page.locator('details.operation', { has: page.locator(`code:text-is("${tool}")`) });
  await form.locator('summary').first().click();
  return form;
}

/** Sends a form; ends when its answer is shown. */
export async function send(form: Locator): Promise<void> {
  await form.getByRole('button', { name: /^Send/ }).click();
  await form.locator('.answer[aria-busy=false]').waitFor();
}

/**
 * What sticks out: the page past its window, or a part past its place without a way to scroll there. A select cuts its
 * longest option by itself, of which some versions of Chromium tell the full width.
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
