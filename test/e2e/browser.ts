import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Page,
} from 'playwright-core';
import { describe, it } from 'vitest';
import * as z from 'zod';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of a Chromium on this machine, or undefined. Downloads nothing. */
function findChromium(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(
    (path) => existsSync(path),
  );
}

/** Starts Chromium without a window. It contacts only the pages it is given. */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium');
  return chromium.launch({
    executablePath,
    args: [
      // Chromium's sandbox does not work for root, as in a container.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-quic',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** A warning about a sandbox that the MCP Apps specification prescribes. */
const OF_THE_SANDBOX = /^An iframe which has both allow-scripts and allow-same-origin/;

/** A page in its own context, with the errors and warnings of its frames. */
export async function openTab(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const isFault = ['error', 'warning'].includes(message.type());
    if (isFault && !OF_THE_SANDBOX.test(message.text())) faults.push(message.text());
  });
  return { page, faults };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

/** The violations that axe finds in a page or a frame. */
export async function axeFindings(page: Page | Frame): Promise<string[]> {
  await page.evaluate(AXE);
  const found = violations.parse(await page.evaluate('axe.run().then((r) => r.violations)'));
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Describes tests in a real browser. Without one, a single skipped test says so. */
export function describeInBrowser(body: () => void): void {
  if (findChromium() !== undefined) describe('in a browser', body);
  else it.skip(`in a browser: no ${NAMES.join(', ')} on this machine`, () => {});
}
