import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyNew } from '../../../src/store/backup.ts';

it('a copy that fails half-way leaves nothing behind, and another file is never touched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quantshelf-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, 'copy');
  await expect(copyNew(join(folder, 'missing'), target)).rejects.toThrow('ENOENT');
  expect(existsSync(target)).toBe(false);

  writeFileSync(target, 'of somebody else');
  await expect(copyNew(join(folder, 'missing'), target)).rejects.toThrow('EEXIST');
  expect(readFileSync(target, 'utf8')).toBe('of somebody else');
});
