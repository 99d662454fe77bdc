import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { type FindModelOptions, placesOf } from './files.ts';
import { DTYPES, MODEL, type Model, modelStamp } from './model.ts';

/** Describes a model that the user added, in its folder `<org>/<name>` of a models directory. */
const RECORD_FILE = 'quantshelf.json';

/** Components of the vectors that a store holds. */
const DIMENSIONS = 384;

const record = z.strictObject({
  dtype: z.enum(DTYPES),
  pooling: z.enum(['mean', 'cls']),
  dimensions: z.literal(DIMENSIONS, {
    error: `must be ${DIMENSIONS}: the shelf holds vectors of ${DIMENSIONS} components`,
  }),
  windowTokens: z.int().min(16).max(8_192),
  queryPrefix: z.string().default(''),
  documentPrefix: z.string().default(''),
  files: z
    .array(
      z.strictObject({
        path: z.string().regex(/^(?!\/)(?!.*\.\.)[\w./-]+$/, 'must be a path inside the folder'),
        bytes: z.int().min(1),
        sha256: z.string().regex(/^[\da-f]{64}$/, 'must be a sha256 in lower-case hex'),
      }),
    )
    .min(3),
});

/** A record that cannot be read, and why. */
export interface BadRecord {
  path: string;
  fault: string;
}

/** Our own model and those that the user added, the first of an id only. */
export async function listModels(
  options: Pick<FindModelOptions, 'home' | 'modelDir'>,
): Promise<{ models: Model[]; bad: BadRecord[] }> {
  const models = new Map<string, Model>([[MODEL.id, MODEL]]);
  const bad: BadRecord[] = [];
  const roots = placesOf(options.home, options.modelDir).map(({ root }) => resolve(root));
  for (const root of new Set(roots)) {
    for (const org of await foldersOf(root)) {
      for (const name of await foldersOf(join(root, org))) {
        const id = `${org}/${name}`;
        const path = join(root, org, name, RECORD_FILE);
        const text = await readFile(path, 'utf8').catch(() => null);
        if (text === null || models.has(id)) continue;
        const model = readRecord(id, text);
        if (typeof model === 'string') bad.push({ path, fault: model });
        else models.set(id, model);
      }
    }
  }
  return { models: [...models.values()], bad };
}

/** The model that made vectors with a stamp; ours for no stamp, null for an unknown one. */
export async function findModelByStamp(
  options: Pick<FindModelOptions, 'home' | 'modelDir'>,
  stamp: string | undefined,
): Promise<Model | null> {
  if (stamp === undefined || stamp === modelStamp(MODEL)) return MODEL;
  const { models } = await listModels(options);
  return models.find((model) => modelStamp(model) === stamp) ?? null;
}

/** The model, or what is wrong with its record. */
function readRecord(id: string, text: string): Model | string {
  try {
    const read = record.safeParse(JSON.parse(text));
    if (read.success) return { id, ...read.data, npm: null };
    const [issue] = read.error.issues;
    return `${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'is not valid'}`;
  } catch {
    return 'is not JSON';
  }
}

async function foldersOf(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => !name.startsWith('.')).sort();
  } catch {
    return [];
  }
}
