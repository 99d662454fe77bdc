import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../../src/operations.ts';
import { describeInBrowser } from '../browser.ts';
import { type Browsing, draw, enterKey, startBrowsing } from './browsing.ts';

const HOSTILE = '<img src=x onerror="document.title=\'hurt\'"><script>document.title=1</script>';

describeInBrowser('the page', () => {
  let browsing: Browsing;

  beforeAll(async () => {
    browsing = await startBrowsing(
      `UPDATE macro_series SET title = '${HOSTILE.replaceAll("'", "''")}' WHERE indicator = 'us.cpi.core'`,
    );
  });

  afterAll(() => browsing.stop());

  it('tells what there is, from this server alone', async () => {
    const { page, faults, addresses } = await browsing.open();
    const rows = await page.locator('#route-list tr').allInnerTexts();
    for (const { method, path, price } of operations) {
      const row = rows.find((text) => text.startsWith(`${method} ${path}\t`));
      expect(row, path).toMatch(new RegExp(`\\t${price}$`));
    }
    for (const path of ['/', '/health', '/openapi.json']) {
      expect(rows.some((row) => row.startsWith(`GET ${path}\t`) && row.endsWith('\tno key'))).toBe(
        true,
      );
    }
    expect(addresses.filter((address) => !address.startsWith(`${browsing.url}/`))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('names the tool beside what it does', async () => {
    const { page } = await browsing.open();
    const tools = await page.locator('details.operation > summary .tool').allInnerTexts();
    expect(tools).toEqual(operations.map(({ name }) => name));
    for (const name of await page.locator('h2 code').allInnerTexts()) expect(tools).toContain(name);
    expect(await page.locator('h2 code').count()).toBeGreaterThan(3);
  });

  it('tells the prices on its buttons', async () => {
    const { page } = await browsing.enter();
    for (const [form, name] of [
      ['paper', 'paper_search'],
      ['event', 'prediction_market_event_search'],
    ]) {
      const { price } = operations.find((each) => each.name === name) ?? {};
      expect(await page.locator(`#${form}-form button`).innerText()).toContain(`${price} credit`);
    }
    for (const indicator of ['us.cpi.core', 'us.gdp.real']) {
      await page.locator(`.option input[value="${indicator}"]`).check();
    }
    expect(await page.getByRole('button', { name: /^Draw/ }).innerText()).toContain('2 credits');
  });

  it('leaves no way for text to become part of it', async () => {
    const { page } = await browsing.open();
    const tries = [
      `document.body.innerHTML = '<b>x</b>'`,
      `document.body.insertAdjacentHTML('beforeend', '<b>x</b>')`,
    ];
    for (const text of tries) {
      expect(
        await page.evaluate(
          `(() => { try { ${text}; return 'done'; } catch (e) { return e.name; } })()`,
        ),
      ).toBe('TypeError');
    }
    await page
      .evaluate(`(() => {
      const script = document.createElement('script');
      script.append('document.title = "hurt"');
      document.body.append(script);
    })()`)
      .catch(() => {});
    expect(await page.title()).toBe('QuantShelf');
  });

  it('links to web addresses only', async () => {
    const { page } = await browsing.open();
    const linked = (address: string) =>
      page.evaluate(`import('/page/dom.js').then(({ linkTo }) => {
        const { tagName, href, rel } = linkTo('source', ${JSON.stringify(address)});
        return [tagName, href, rel].join(' ').trim();
      })`);
    expect(await linked('https://arxiv.org/abs/1')).toBe(
      'A https://arxiv.org/abs/1 noopener noreferrer',
    );
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//',
      '',
    ]) {
      expect(await linked(address), address).toBe('SPAN');
    }
  });

  it('says what is wrong with a key, and how to mend it', async () => {
    const { page } = await browsing.open();
    for (const [text, says] of [
      ['qs_nobody', /unknown or was revoked.*keys list/],
      ['ключ', /letters and digits only/],
      ['', /A key is needed/],
    ] as const) {
      await enterKey(page, text);
      await expect.poll(() => page.locator('#key-said').innerText()).toMatch(says);
    }
    await enterKey(page, browsing.key);
    await page.locator('.option').first().waitFor();
    expect(await page.locator('#key-said').innerText()).toMatch(/^[\d,]+ credits left\.$/);
    expect(await page.locator('#balance').innerText()).toMatch(/^[\d,]+ credits$/);
  });

  it('forgets the key: it stands in no address, no store and no markup', async () => {
    const { page, addresses } = await browsing.enter();
    await draw(page, ['us.cpi.headline']);
    const kept = await page.evaluate(`[
      location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage),
      document.documentElement.outerHTML,
    ].join()`);
    expect(kept).not.toContain(browsing.key);
    expect(addresses.join()).not.toContain(browsing.key);
    expect(browsing.said()).not.toContain(browsing.key);
    await page.reload();
    await page.locator('details.operation').first().waitFor();
    expect(await page.locator('#key-input').inputValue()).toBe('');
    expect(await page.locator('.option').count()).toBe(0);
  });

  it('shows hostile words as words', async () => {
    const { page, faults } = await browsing.enter();
    await draw(page, ['us.cpi.core']);
    expect(await page.locator('#indicator-figure h3').innerText()).toBe(HOSTILE);
    expect(await page.locator('.option', { hasText: '<img src=x' }).count()).toBe(1);
    expect(await page.locator('main img, body script').count()).toBe(0);
    expect(await page.title()).toBe('QuantShelf');
    expect(faults).toEqual([]);
  });

  it('tries every operation with its example: the answer to read, the raw one and the command', async () => {
    const { page, faults } = await browsing.enter();
    for (const operation of operations) {
      const part = page.locator('details.operation', { hasText: operation.title }).first();
      await part.locator('summary').first().click();
      await part.getByRole('button', { name: /^Send/ }).click();
      await part.locator('.raw').waitFor();
      expect(await part.getByRole('status').innerText(), operation.name).toMatch(
        /^200 · \d+ ms · \d credits? used · [\d,]+ left/,
      );
      expect(await part.locator('.card, svg.plot').count(), operation.name).toBeGreaterThan(0);
      expect(await part.locator('pre.body').isVisible()).toBe(false);
      await part.locator('.raw > summary').click();
      await part.locator('pre.body', { hasText: '"remainingCredits"' }).waitFor();
      expect(await part.locator('pre.command').innerText()).toContain("curl 'http://127.0.0.1:");
    }
    expect(faults).toEqual([]);
  });

  it('shows the words of an error, and what to do', async () => {
    const { page } = await browsing.open();
    const part = page.locator('details.operation', { hasText: '/api/macro/historical' });
    await part.locator('summary').first().click();
    const send = () => part.getByRole('button', { name: /^Send/ }).click();
    const alert = part.getByRole('alert');
    await send();
    await expect.poll(() => alert.innerText()).toMatch(/valid key is needed[\s\S]*at the top/);
    await enterKey(page, browsing.key);
    await page.locator('.option').first().waitFor();
    await part.getByLabel('limit').fill('501');
    await send();
    await expect.poll(() => alert.innerText()).toMatch(/needs a change[\s\S]*from 1 to 500/);
    expect(await part.getByRole('status').innerText()).toMatch(/^400 /);
  });

  it('says so when the server is gone', async () => {
    const { page } = await browsing.enter();
    await page.route(/paper\/search/, (route) => route.abort());
    await page.locator('#paper-query').fill('volatility');
    await page.locator('#paper-form button').click();
    expect(await page.locator('#paper-answers').getByRole('alert').innerText()).toMatch(
      /No answer[\s\S]*still running/,
    );
  });
});
