import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelDirectory } from '../../../src/embedding/files.ts';
import { MODEL, type Model } from '../../../src/embedding/model.ts';
import { listModels } from '../../../src/embedding/records.ts';

const { id: _, npm: __, ...fields } = MODEL;

/** Another id for the weights of our model, as a user adds one. */
export function addRecord(modelDir: string, id: string, changes: object = {}): void {
  const directory = modelDirectory(modelDir, { id });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'quantshelf.json'), JSON.stringify({ ...fields, ...changes }));
}

export async function modelNamed(modelDir: string, id: string): Promise<Model> {
  const { models } = await listModels({ home: modelDir, modelDir });
  const model = models.find((one) => one.id === id);
  if (model === undefined) throw new Error(`no ${id}`);
  return model;
}
