import { expect, it } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { CPI, instead, useHost } from './fixture.ts';

const valuesOf = (data: { observations: { value: number | null }[] }) =>
  data.observations.map(({ value }) => value);

describeInBrowser(() => {
  const { show, ask } = useHost();

  it('the chart of a history leaves gaps for missing values, and states units, source and dates', async () => {
    const { view } = await show(CPI);
    const { data } = await ask(CPI);
    const values = valuesOf(data);
    const isGap = (at: number) => (values[at] ?? null) === null;
    const stretches = values.filter((_, at) => !isGap(at) && isGap(at - 1));
    expect(stretches.length).toBeGreaterThan(1);
    const line = (await view.locator('path.line').first().getAttribute('d')) ?? '';
    expect(line.match(/M/g)).toHaveLength(stretches.length);
    expect(line.match(/[ML]/g)).toHaveLength(values.filter((value) => value !== null).length);
    const text = await view.locator('body').innerText();
    for (const part of [data.title, data.units, data.attribution, 'CPIAUCSL', 'Monthly']) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/ · next release (about )?\d+ \w+ 20\d\d/);
    expect(text).not.toContain('failed');
    expect(text).toMatch(/As of \d+ \w+ 20\d\d/);
    expect(text).toMatch(/July 2026 · \+\d\.\d % in a year/);
  });

  it('the table of a history shows each value with its first print and its revision, newest first', async () => {
    const payrolls = { ...CPI, args: { indicator: 'us.nonfarm_payrolls', limit: 12 } };
    const { view } = await show(payrolls);
    const { data } = await ask(payrolls);
    await view.getByText('More', { exact: true }).click();
    await view.getByText('12 observations as a table').click();
    await view.locator('tbody tr').first().waitFor();
    const heads = ['Period', 'Value', 'First print', 'Revised by', 'Published'];
    expect(await view.locator('thead th').allInnerTexts()).toEqual(heads);
    const values = valuesOf(data).map((value) => value?.toLocaleString('en-US'));
    const shown = await view.locator('tbody td:nth-child(2)').allInnerTexts();
    expect(shown).toEqual(values.reverse());
    const june = view.locator('tbody tr', { hasText: 'June 2026' }).locator('td');
    expect((await june.allInnerTexts()).slice(0, 3)).toEqual(['158,881', '158,984', '−103']);
  });

  it('the figures of a chart can be copied if the host cannot save files', async () => {
    const { page, view } = await show(CPI);
    await view.getByLabel('Form').selectOption('percent');
    await view.getByText('More', { exact: true }).click();
    await view.getByRole('button', { name: 'Copy figures as CSV' }).click();
    await view.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^date,us\.cpi\.headline\n[\s\S]*\n2026-07-01,3\.\d+\n$/,
    );
  });

  it('the chart can be read date by date with the keyboard or the pointer', async () => {
    const { view } = await show(CPI);
    const newest = await view.locator('.value').innerText();
    await view.locator('svg.plot').hover({ position: { x: 120, y: 100 } });
    expect(await view.locator('.value').innerText()).not.toBe(newest);
    await view.locator('h1').hover();
    expect(await view.locator('.value').innerText()).toBe(newest);
    const { data } = await ask(CPI);
    const slider = view.getByRole('slider', { name: 'Date' });
    await slider.focus();
    const gap = valuesOf(data).lastIndexOf(null);
    for (let at = data.observations.length - 1; at > gap; at -= 1) await slider.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^No value/);
    expect(await view.locator('.value').innerText()).toBe('No value');
    await slider.press('Home');
    const first = data.observations[0]?.value;
    const figure = first?.toLocaleString('en-US', { maximumFractionDigits: 2 });
    expect(await view.locator('.value').innerText()).toBe(figure);
    expect(await slider.getAttribute('aria-valuenow')).toBe('0');
    await slider.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuenow')).toBe('0');
    await slider.press('Tab');
    expect(await slider.getAttribute('aria-valuenow')).toBe('59');
  });

  it('buttons, mouse and keys narrow the chart to a part of the loaded values, and widen it again', async () => {
    const { page, view, calls } = await show({ ...CPI, args: { ...CPI.args, limit: 100 } });
    const slider = view.getByRole('slider', { name: 'Date' });
    const dates = async () => Number(await slider.getAttribute('aria-valuemax'));
    const all = await dates();
    const box = await slider.boundingBox();
    const [x, y] = [box?.x ?? 0, (box?.y ?? 0) + 100];
    await page.mouse.move(x + 200, y);
    await page.mouse.down();
    await page.mouse.move(x + 400, y);
    await page.mouse.up();
    const some = await dates();
    expect(some).toBeLessThan(all / 2);
    await slider.focus();
    await slider.press('Escape');
    expect(await dates()).toBe(all);
    await slider.press('Home');
    for (let step = 0; step < 50; step += 1) await slider.press('ArrowRight');
    await slider.press('+');
    expect(await dates()).toBeLessThan(all * 0.6);
    await slider.press('-');
    expect(await dates()).toBeGreaterThan(some);
    await view.getByRole('button', { name: '1Y' }).click();
    expect(await dates()).toBeLessThan(14);
    expect(await view.locator('.choice [aria-pressed=true]').allInnerTexts()).toEqual(['1Y']);
    expect(calls).toEqual([]);
  });

  it('the chart can show a level as a yearly change or as an index', async () => {
    const { view, calls } = await show(CPI);
    const level = await view.locator('.value').innerText();
    const form = view.getByLabel('Form');
    await form.selectOption('percent');
    expect(await view.locator('.unit').innerText()).toBe('change in a year');
    expect(await view.locator('.value').innerText()).toMatch(/^[+−]\d+(\.\d\d?)? %$/);
    await form.selectOption('index');
    expect(await view.locator('.unit').innerText()).toMatch(/^Index, \w+ 20\d\d = 100$/);
    await form.selectOption('level');
    expect(await view.locator('.value').innerText()).toBe(level);
    expect(calls).toEqual([]);
  });

  it('the chart shades NBER recessions', async () => {
    const args = { ...CPI.args, start_date: '2000-01-01', end_date: '2025-01-01' };
    const { view } = await show({ ...CPI, args });
    expect(await view.locator('rect.recession').count()).toBe(3);
    const recent = await show(CPI);
    expect(await recent.view.locator('rect.recession').count()).toBe(0);
  });

  it('a single observation is shown as a figure without axes', async () => {
    const { view } = await show({ ...CPI, args: { ...CPI.args, limit: 1 } });
    expect(await view.locator('.value').innerText()).toMatch(/^\d{3}\.\d\d?$/);
    expect(await view.locator('svg.plot').count()).toBe(0);
  });

  it('the Max button loads a thinned history, and another button loads every value', async () => {
    const capabilities = { serverTools: {}, updateModelContext: {}, serverResources: {} };
    const { view, calls, told } = await show({ ...CPI, capabilities });
    await view.getByRole('button', { name: 'Max' }).click();
    await view.getByRole('button', { name: '10Y' }).waitFor();
    const end_date = expect.stringMatching(/^20\d\d-\d\d-\d\d$/);
    const dates = { start_date: '1900-01-01', end_date };
    expect(calls).toEqual([{ name: CPI.tool, args: { ...CPI.args, ...dates } }]);
    expect(await view.getByRole('status').innerText()).toMatch(/^1 credit used, [\d,]+ left\.$/);
    expect(await view.locator('.choice [aria-pressed=true]').allInnerTexts()).toEqual(['Max']);
    await expect
      .poll(() => told.join())
      .toMatch(
        /^The user sees \d+ observations of Consumer Price Index .* from 19\d\d-\d\d-\d\d to 2026-07-01; the newest value is [\d.]+ \(2026-07-01\)\.$/,
      );
    expect(await view.locator('.remark').innerText()).toMatch(/^\d+ of 955 values are shown/);
    expect(await view.getByLabel('Form').locator('option').count()).toBe(3);
    await view.getByRole('button', { name: 'Load every value' }).click();
    await expect.poll(() => view.getByLabel('Form').locator('option').count()).toBe(6);
    const line = (await view.locator('path.line').getAttribute('d')) ?? '';
    expect(line.match(/[ML]/g)?.length).toBeGreaterThan(940);
    expect(calls).toHaveLength(1);
    await view.getByText('More', { exact: true }).click();
    await view.getByText('The newest 250 of 955 observations as a table').click();
    await view.locator('tbody tr').first().waitFor();
    expect(await view.locator('tbody tr').count()).toBe(250);
    expect(await view.locator('tbody th').first().innerText()).toBe('July 2026');
  });

  it('the chart says so if a range has no values', async () => {
    const args = { ...CPI.args, start_date: '2025-10-01', end_date: '2025-10-01' };
    const { view } = await show({ ...CPI, args });
    await view.getByText('No observation in this range has a value.').waitFor();
    expect(await view.locator('svg').count()).toBe(0);
    const none = { ...CPI.args, start_date: '1900-01-01', end_date: '1900-12-31' };
    const capabilities = { serverTools: {}, updateModelContext: {} };
    const empty = await show({ ...CPI, args: none, capabilities });
    await empty.view.getByText('More', { exact: true }).click();
    await empty.view.getByRole('button', { name: 'Refresh' }).click();
    await expect
      .poll(() => empty.told.join())
      .toMatch(/^The user sees no observations of .* in this range\.$/);
  });

  it('the view of a history marks overdue figures and ended series', async () => {
    const reply = await ask(CPI);
    const data = { ...reply.data, frequency: 'Monthly', series_id: 'X', stale: true, ended: true };
    const { view } = await show(instead(CPI, { data, meta: {} }));
    expect(await view.locator('.mark').allInnerTexts()).toEqual(['Newer figures are due', 'Ended']);
  });
});
