import type { Client } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startBrowser } from '../browser.ts';
import { makeShelf } from '../in-process.ts';
import { edit } from '../store.ts';
import { bin, environment, node, storeIn } from '../support.ts';
import { type HostTab, openHost, type Showing, type Shown, startProgram } from './host/driver.ts';
import { type AppHost, startAppHost } from './host/server.ts';

/** The method section of a paper in these tests: formulas, and texts that are not exactly one. */
const FORMULAS = [
  String.raw`From $5 million to US$ 6, \$7$ and ${'`$code$`'}: $\sigma_{t}^{2}$.`,
  '$$',
  String.raw`\begin{aligned}\mathbbm{1}_{x} &= \frac{a}{b}${' + x_{1}'.repeat(60)} \\ &= 2\end{aligned} \tag{3}`,
  '$$',
  String.raw`$\href{javascript:alert(1)}{x}$ $\text{<img src=x>}$ $\label{view}x$`,
  String.raw`$\def\a{\a\a}\a$ $\nosuch$ $${'{'.repeat(900)}$`,
  String.raw`$\color{red}x \hspace{20em} \kern{-3em} y$ $\rule{1000000em}{1000000em}$ $\hspace{99999em}x$`,
  String.raw`$\hspace{9in}x$ $\kern{-30em}x$ $${'\\kern{-2em}'.repeat(3)}x$ $\raisebox{-50pt}{x}$ $\colorbox{red}{x}$`,
].join('\n');

export const WITH_FORMULAS = `UPDATE paper_section SET content = '${FORMULAS}'
  WHERE section_key = 's02-method'
    AND paper_id = (SELECT id FROM paper WHERE source_id = 'arxiv:2510.23150');`;

/** Calls whose replies the views draw. */
export const CPI = { tool: 'macro_indicator_history', args: { indicator: 'us.cpi.headline' } };
export const EVENT = { tool: 'prediction_market_event_read', args: { event_card_id: 'pme_16085' } };
export const SEARCH = {
  tool: 'prediction_market_event_search',
  args: { query: 'will the Fed cut interest rates', limit: 3 },
};

export const PAPERS = { tool: 'paper_search', args: { query: 'rough volatility', topK: 3 } };

/** Shows another reply in place of the program's. */
export function instead<T extends object>(showing: T, structuredContent: object) {
  return { ...showing, result: { structuredContent, content: [] } };
}

const DESK = { width: 1280, height: 720 };

/** Starts the program, and a tab of a host that shows its views, for a test suite. No view may request anything. */
export function useHost() {
  let browser: Browser;
  let host: AppHost;
  let program: Client;
  let tab: HostTab;
  let shown: Shown | undefined;

  beforeAll(async () => {
    const home = await makeShelf();
    edit(storeIn(home), WITH_FORMULAS);
    [program, host, browser] = await Promise.all([
      startProgram(node, bin, environment(home)),
      startAppHost(),
      startBrowser(),
    ]);
    tab = await openHost(browser, host, program, { permissions: ['clipboard-read'] });
  });

  afterAll(async () => {
    await browser.close();
    host.close();
    await program.close();
  });

  afterEach(() => {
    // Views try the clipboard, which the host may block.
    expect(shown?.faults.filter((fault) => !fault.includes('Clipboard API'))).toEqual([]);
    expect(shown?.requests).toEqual([]);
  });

  const callTool = (name: string, args: Record<string, unknown>) =>
    program.callTool({ name, arguments: args });
  return {
    /** Shows a view in place of the one before. */
    async show(showing: Showing, { viewport = DESK, colorScheme = 'light' }: Looks = {}) {
      const { page } = tab;
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.mouse.move(0, 0);
      shown = await tab.show(showing);
      return shown;
    },
    /** The program's reply. */
    async ask({ tool, args }: Pick<Showing, 'tool' | 'args'>) {
      return Object((await callTool(tool, args)).structuredContent);
    },
    callTool,
  };
}

interface Looks {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}
