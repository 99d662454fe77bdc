import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from '../../../src/core/disk.ts';

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-directory-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('makeDirectory', () => {
  it('makes all that are missing, each with the mode', async () => {
    const top = scratch();
    await makeDirectory(join(top, 'a', 'b', 'c'));
    for (const path of ['a', 'a/b', 'a/b/c']) {
      expect(statSync(join(top, path)).mode & 0o777).toBe(0o700);
    }
  });

  it('is content with what is there, also behind a link, and with the root', async () => {
    const top = scratch();
    mkdirSync(join(top, 'real'));
    symlinkSync(join(top, 'real'), join(top, 'link'));
    await makeDirectory(join(top, 'real'));
    await makeDirectory(join(top, 'link'));
    await makeDirectory(join(top, 'link', 'below'));
    await makeDirectory('/');
    expect(existsSync(join(top, 'real', 'below'))).toBe(true);
  });

  it('makes one directory for many who ask at once', async () => {
    const path = join(scratch(), 'a', 'b');
    await Promise.all(Array.from({ length: 20 }, () => makeDirectory(path)));
    expect(existsSync(path)).toBe(true);
  });

  it('refuses what is a file, or lies below one, or is a link to nothing', async () => {
    const top = scratch();
    writeFileSync(join(top, 'file'), '');
    symlinkSync(join(top, 'nowhere'), join(top, 'dangling'));
    await expect(makeDirectory(join(top, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeDirectory(join(top, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeDirectory(join(top, 'dangling'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it.runIf(existsSync('/proc/self'))(
    'ends where nothing new can be made',
    async () => {
      await expect(makeDirectory('/proc/quantshelf')).rejects.toThrow('/proc/quantshelf');
      await expect(makeDirectory('/proc/1/a/b')).rejects.toThrow();
    },
    60_000,
  );
});
