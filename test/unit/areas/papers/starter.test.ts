import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStarterPapers } from '../../../../scripts/starter/check-papers.ts';

const SHARED_DIR = process.env.QUANTSHELF_SHARED_DIR ?? resolve('../shared');
const hasShared = existsSync(join(SHARED_DIR, 'data', 'papers'));

describe.skipIf(!hasShared)('the starter papers', () => {
  it('contain only recorded facts and our own words', () => {
    expect(checkStarterPapers('data', SHARED_DIR)).toEqual([]);
  });
});
