import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { startBrowser } from '../test/e2e/browser.ts';
import { type Showing, showView, startProgram } from '../test/e2e/views/host/driver.ts';
import { type AppHost, startAppHost } from '../test/e2e/views/host/server.ts';
import { toPalette } from './picture/palette.ts';

/**
 * `npm run picture`: the README's picture of a chart in a conversation, in light and in dark, and those of
 * `docs/hosts.md`. Each is the built program's own answer, drawn by its own view in a host page, over the
 * bundled figures and odds.
 */
interface Picture {
  /** File in `docs`, without `.png`. */
  file: string;
  /** The user's question, if the picture shows a conversation. */
  question?: string;
  showing: Pick<Showing, 'tool' | 'args' | 'theme'>;
  size: BrowserContextOptions;
  maxBytes: number;
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
const WIDE = { viewport: { width: 780, height: 400 }, deviceScaleFactor: 2 };
const DESK = { viewport: { width: 760, height: 320 }, deviceScaleFactor: 1.25 };
const PHONE = { viewport: { width: 320, height: 320 }, deviceScaleFactor: 1.5 };

const PICTURES: readonly Picture[] = [
  ...(['light', 'dark'] as const).map((theme) => ({
    file: `chart-${theme}`,
    question: QUESTION,
    showing: { ...PRODUCTION, theme },
    size: WIDE,
    maxBytes: 80_000,
  })),
  state('view-history', { ...DECADE, theme: 'dark' }, DESK),
  state('view-event', { ...RATE_CUTS, theme: 'light' }, DESK),
  state('view-papers', { ...PAPERS, theme: 'light' }, DESK),
  state('view-papers-dark', { ...PAPERS, theme: 'dark' }, DESK),
  state('view-paper-phone', { ...PAPER, theme: 'light' }, PHONE),
  state('view-paper-phone-dark', { ...PAPER, theme: 'dark' }, PHONE),
];

function state(file: string, showing: Picture['showing'], size: BrowserContextOptions): Picture {
  return { file, showing, size, maxBytes: 50_000 };
}

const home = mkdtempSync(join(tmpdir(), 'quantshelf-picture-'));
// Nothing listens there: figures are the bundled ones, and due refreshes fail.
const NOWHERE = 'http://127.0.0.1:9';
const program = await startProgram(process.execPath, join(ROOT, 'bin', 'quantshelf.js'), {
  PATH: process.env.PATH ?? '',
  QUANTSHELF_HOME: home,
  QUANTSHELF_BLS_URL: NOWHERE,
  QUANTSHELF_FEDBOARD_URL: NOWHERE,
  QUANTSHELF_POLYMARKET_URL: NOWHERE,
  QUANTSHELF_HUB_URL: NOWHERE,
  QUANTSHELF_NPM_URL: NOWHERE,
  npm_config_registry: NOWHERE,
});
const host = await startAppHost();
const browser = await startBrowser();
const asked = process.argv.slice(2);
try {
  for (const picture of PICTURES) {
    if (asked.length === 0 || asked.includes(picture.file)) await take(picture, browser, host);
  }
} finally {
  await browser.close();
  host.close();
  await program.close();
  rmSync(home, { recursive: true, force: true });
}

async function take(picture: Picture, browser: Browser, host: AppHost): Promise<void> {
  const { question = '', showing, size, maxBytes } = picture;
  const { page, view } = await showView(
    browser,
    host,
    program,
    { ...showing, styles: STYLES },
    size,
  );
  const { theme } = showing;
  await page.evaluate(`window.host.present(${JSON.stringify(question)}, '${theme}')`);
  // Painted as well as laid out.
  await view.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  const file = join(ROOT, 'docs', `${picture.file}.png`);
  writeFileSync(file, toPalette(await page.screenshot({ fullPage: true, animations: 'disabled' })));
  const bytes = statSync(file).size;
  process.stdout.write(`${file}: ${bytes.toLocaleString('en-US')} bytes\n`);
  if (bytes > maxBytes) throw new Error(`${file} is larger than ${maxBytes} bytes`);
}
