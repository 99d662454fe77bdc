import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODEL, modelStamp } from '../../../src/embedding/model.ts';
import { findModelByStamp, listModels } from '../../../src/embedding/records.ts';
import { addRecord, modelNamed } from './model-records.ts';

const scratch = mkdtempSync(join(tmpdir(), 'quantshelf-models-'));
const modelDir = join(scratch, 'models');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(() => {
  addRecord(modelDir, 'first/copy');
  addRecord(modelDir, 'second/copy', { queryPrefix: 'query: ' });
  addRecord(modelDir, 'bad/width', { dimensions: 768 });
});

describe('models that the user added', () => {
  it('are listed after ours, the unusable ones with the reason', async () => {
    const { models, bad } = await listModels({ home: scratch, modelDir });
    expect(models.map(({ id }) => id)).toEqual([MODEL.id, 'first/copy', 'second/copy']);
    expect(bad).toEqual([
      { path: join(modelDir, 'bad/width/quantshelf.json'), fault: expect.stringContaining('384') },
    ]);
  });

  it('have a stamp of their own, which changes with the record', async () => {
    const [first, second] = [
      await modelNamed(modelDir, 'first/copy'),
      await modelNamed(modelDir, 'second/copy'),
    ];
    const changed = { ...first, windowTokens: 128 };
    const stamps = [MODEL, first, second, changed].map(modelStamp);
    expect(new Set(stamps).size).toBe(4);
    expect(await findModelByStamp({ home: scratch, modelDir }, stamps[1])).toEqual(first);
    expect(await findModelByStamp({ home: scratch, modelDir }, stamps[3])).toBeNull();
  });

  it('take no file outside their folder', async () => {
    addRecord(modelDir, 'bad/path', {
      files: MODEL.files.map((file) => ({ ...file, path: '../../x' })),
    });
    const { bad } = await listModels({ home: scratch, modelDir });
    expect(bad.map(({ fault }) => fault).join()).toContain('inside the folder');
  });
});
