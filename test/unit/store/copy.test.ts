import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyStore } from '../../../src/store/copy.ts';
import { openForWriting } from '../../../src/store/open.ts';

it('a copy that fails half-way leaves nothing behind, and another file is never touched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quantshelf-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, 'copy');
  await expect(copyStore(join(folder, 'missing'), target)).rejects.toThrow('unable to open');
  expect(readdirSync(folder)).toEqual([]);

  const store = join(folder, 'store');
  openForWriting(store).close();
  writeFileSync(target, 'of somebody else');
  await expect(copyStore(store, target)).rejects.toThrow('EEXIST');
  expect(readFileSync(target, 'utf8')).toBe('of somebody else');
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
