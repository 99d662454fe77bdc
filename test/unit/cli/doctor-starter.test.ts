import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../src/app/schema.ts';
import { checkStarter } from '../../../src/cli/doctor.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';

it('a bundled shelf that is missing, cut short or something else is to be installed again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-starter-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'starter.sqlite');
  const fault = (detail: string) => ({
    name: 'starter_shelf',
    ok: false,
    detail: expect.stringContaining(detail),
    fix: expect.stringContaining('npm install'),
  });
  expect(await checkStarter(path)).toMatchObject(fault('is missing'));
  const db = openForWriting(path);
  migrate(db, migrations, new Date('2026-11-22T12:00:00Z'));
  db.close();
  expect(await checkStarter(path)).toMatchObject({ ok: true, fix: null });
  truncateSync(path, 8_192);
  expect(await checkStarter(path)).toMatchObject(fault('is damaged'));
  writeFileSync(path, 'no database at all');
  expect(await checkStarter(path)).toMatchObject(fault('is damaged'));
});
