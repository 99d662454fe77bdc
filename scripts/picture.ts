import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/e2e/browser.ts';
import { openHost, type Showing, startProgram } from '../test/e2e/views/host/driver.ts';
import { type AppHost, startAppHost } from '../test/e2e/views/host/server.ts';

/**
 * `npm run picture [NAME…]`: takes the pictures in the README and in `docs/hosts.md`, or those named. Each is
 * a reply of the built program from the bundled shelf, drawn by its own view in a host page.
 */
interface Picture {
  /** File in `docs`, without `.webp`. */
  file: string;
  /** The user's question, if the picture shows a conversation. */
  question?: string;
  showing: Pick<Showing, 'tool' | 'args' | 'theme'>;
  /** Initial size; the picture is as tall as the page becomes. */
  viewport: { width: number; height: number };
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STYLES = { '--font-sans': '"Liberation Sans", Arial, sans-serif' };
const QUESTION = 'How has U.S. industrial production done since 2002?';
const PRODUCTION = {
  tool: 'macro_indicator_history',
  args: { indicator: 'us.industrial_production', start_date: '2002-01-01', end_date: '2026-12-31' },
};
const DECADE = {
  tool: 'macro_indicator_history',
  args: { indicator: 'us.industrial_production', limit: 120 },
};
const PAPERS = { tool: 'paper_search', args: { query: 'rough volatility', topK: 1 } };
const PAPER = { tool: 'paper_read', args: { paperCardId: '2510.23150', sections: ['abstract'] } };
const RATE_CUTS = { tool: 'prediction_market_event_read', args: { event_card_id: 'pme_16085' } };
const WIDE = { width: 780, height: 400 };
const DESK = { width: 760, height: 320 };
const PHONE = { width: 320, height: 320 };
/** Image pixels per CSS pixel: sharp enough at the size in which the pages show the pictures. */
const SCALE = 1.5;

const PICTURES: readonly Picture[] = [
  {
    file: 'chart-light',
    question: QUESTION,
    showing: { ...PRODUCTION, theme: 'light' },
    viewport: WIDE,
  },
  {
    file: 'chart-dark',
    question: QUESTION,
    showing: { ...PRODUCTION, theme: 'dark' },
    viewport: WIDE,
  },
  { file: 'view-history', showing: { ...DECADE, theme: 'dark' }, viewport: DESK },
  { file: 'view-event', showing: { ...RATE_CUTS, theme: 'light' }, viewport: DESK },
  { file: 'view-papers', showing: { ...PAPERS, theme: 'light' }, viewport: DESK },
  { file: 'view-papers-dark', showing: { ...PAPERS, theme: 'dark' }, viewport: DESK },
  { file: 'view-paper-phone', showing: { ...PAPER, theme: 'light' }, viewport: PHONE },
  { file: 'view-paper-phone-dark', showing: { ...PAPER, theme: 'dark' }, viewport: PHONE },
];
/** Larger pictures would make the pages slow to load. */
const MAX_BYTES = 50_000;

const home = mkdtempSync(join(tmpdir(), 'quantshelf-picture-'));
const program = await startProgram(process.execPath, join(ROOT, 'bin', 'quantshelf.js'), {
  QUANTSHELF_HOME: home,
  QUANTSHELF_OFFLINE: '1',
});
const host = await startAppHost();
const browser = await startBrowser();
const names = process.argv.slice(2);
try {
  for (const picture of PICTURES) {
    if (names.length === 0 || names.includes(picture.file)) await take(picture, browser, host);
  }
} finally {
  await browser.close();
  host.close();
  await program.close();
  rmSync(home, { recursive: true, force: true });
}

async function take(picture: Picture, browser: Browser, host: AppHost): Promise<void> {
  const { file, question = '', showing, viewport } = picture;
  const options = { ...showing, styles: STYLES };
  const { page, show } = await openHost(browser, host, program, { viewport });
  const { view } = await show(options);
  await page.evaluate(`window.host.present(${JSON.stringify(question)}, '${showing.theme}')`);
  // The view is painted, not only laid out, two frames later.
  await view.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  // Playwright itself cannot write WebP, which is a third of the size.
  const devtools = await page.context().newCDPSession(page);
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    captureBeyondViewport: true,
    clip: { ...cssContentSize, scale: SCALE },
  });
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(ROOT, 'docs', `${file}.webp`), bytes);
  process.stdout.write(`${file}: ${bytes.length.toLocaleString('en-US')} bytes\n`);
  if (bytes.length > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
}
