import { existsSync } from 'node:fs';
import { STARTER_PATH } from '../../app/files.ts';
import { type Check, firstLine } from './check.ts';

/** Whether the bundled shelf, from which new stores and repairs come, is there and sound. */
export async function checkStarter(path = STARTER_PATH): Promise<Check> {
  const name = 'starter_shelf';
  const [{ withIntactStore }, { INSTALL_AGAIN }] = await Promise.all([
    import('./integrity.ts'),
    import('../../store/sqlite.ts'),
  ]);
  try {
    return withIntactStore(path, () => ({ name, ok: true, detail: 'intact', fix: null }));
  } catch (error) {
    const detail = existsSync(path)
      ? `the bundled shelf is damaged (${firstLine(error)})`
      : 'the bundled shelf is missing';
    return { name, ok: false, detail, fix: INSTALL_AGAIN };
  }
}
