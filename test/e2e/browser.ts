import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { describe, it } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium of this machine, or undefined; nothing is downloaded. */
function findChromium(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(
    (path) => existsSync(path),
  );
}

/** Starts a headless one; it asks nobody but the pages it is given. */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium');
  return chromium.launch({
    executablePath,
    args: [
      // Root, as in a container, cannot have the sandbox.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-quic',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** Tests in a real browser; where there is none, one skipped test says so. */
export function describeInBrowser(title: string, body: () => void): void {
  if (findChromium() !== undefined) describe(title, body);
  else it.skip(`${title}: no ${NAMES.join(', ')} on this machine`, () => {});
}
