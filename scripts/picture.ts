import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showView, startProgram } from '../test/e2e/apps/host/driver.ts';
import { startAppHost } from '../test/e2e/apps/host/server.ts';
import { startBrowser } from '../test/e2e/browser.ts';
import { toPalette } from './picture/palette.ts';

/**
 * `npm run picture`: the README's picture of a chart in a conversation, in light and in dark. It is
 * the built program's own answer, drawn by its own view in a host page, over the bundled figures.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_BYTES = 80_000;
const QUESTION = 'How has U.S. industrial production done since 2002?';
const SHOWING = {
  tool: 'macro_indicator_history',
  args: { indicator: 'us.industrial_production', start_date: '2002-01-01', end_date: '2026-12-31' },
  styles: { '--font-sans': '"Liberation Sans", Arial, sans-serif' },
};
const SIZE = { viewport: { width: 780, height: 400 }, deviceScaleFactor: 2 };

const home = mkdtempSync(join(tmpdir(), 'quantshelf-picture-'));
// Of this series nothing is fetched without a key, so that the picture needs no network.
const env = { PATH: process.env.PATH ?? '', QUANTSHELF_HOME: home };
const program = await startProgram(process.execPath, join(ROOT, 'bin', 'quantshelf.js'), env);
const host = await startAppHost();
const browser = await startBrowser();
try {
  for (const theme of ['light', 'dark'] as const) {
    const { page } = await showView(browser, host, program, { ...SHOWING, theme }, SIZE);
    await page.evaluate(`window.host.present(${JSON.stringify(QUESTION)}, '${theme}')`);
    const file = join(ROOT, 'docs', `chart-${theme}.png`);
    writeFileSync(
      file,
      toPalette(await page.screenshot({ fullPage: true, animations: 'disabled' })),
    );
    const bytes = statSync(file).size;
    process.stdout.write(`${file}: ${bytes.toLocaleString('en-US')} bytes\n`);
    if (bytes > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
  }
} finally {
  await browser.close();
  host.close();
  await program.close();
  rmSync(home, { recursive: true, force: true });
}
