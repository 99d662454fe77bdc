import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { serveForTest } from '../serving.ts';
import { root } from '../support.ts';
import { type Browsing, search, startBrowsing } from './browsing.ts';

const LAUNCHER = ['python3', join(root, 'test', 'e2e', 'terminal.py')];
const hasPython = spawnSync('python3', ['-c', 'import pty'], { stdio: 'ignore' }).status === 0;

const describeLink = hasPython
  ? describeInBrowser
  : () => it.skip('in a browser: no python3 with pty on this machine', () => {});

describeLink(() => {
  let browsing: Browsing;
  let link = '';

  beforeAll(async () => {
    browsing = await startBrowsing('SELECT 1', LAUNCHER);
    await vi.waitFor(() => expect(browsing.said()).toMatch(/#key=\S+\s/));
    link = /^open (http:\S+#key=\S+)/m.exec(browsing.said())?.[1] ?? '';
  });

  afterAll(() => browsing.stop());

  it('the printed link opens the page without asking for a key, and the page drops the key from its address', async () => {
    const { page, faults, addresses } = await browsing.open({}, link);
    await search(page, 'inflation');
    expect(await page.locator('#key-form').isVisible()).toBe(false);
    const [, key = ''] = link.split('#key=');
    expect(key.length).toBeGreaterThan(30);
    expect(page.url()).not.toContain(key);
    expect(addresses.join()).not.toContain(key);
    await page.reload();
    await page.locator('.answer[aria-busy=false]').nth(2).waitFor();
    expect(browsing.said().split(key)).toHaveLength(2);
    expect(faults).toEqual([]);
  });

  it("the printed link's key expires with its server", async () => {
    await browsing.stopServing();
    const { url } = await serveForTest(browsing.home);
    const { page } = await browsing.open({}, link.replace(browsing.url, url));
    await page.locator('#key-status', { hasText: 'unknown or was revoked' }).waitFor();
  });
});
