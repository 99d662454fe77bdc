import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readStarterVectors, type StarterVectors } from '../scripts/starter/vectors.ts';
import { INDICATORS } from '../src/areas/macro/facts/indicators.ts';
import { listSeries, listStored } from '../src/areas/macro/queries.ts';
import { Database } from '../src/store/sqlite.ts';
import { onceInRun } from './once.ts';

/** The starter store of the build. */
export const BUILT_STARTER = 'dist/starter.sqlite';
/** The data and the code that the starter store is compiled from. */
const FOLDERS = ['data', 'scripts/starter', 'src'];

export type StarterMacro = ReturnType<typeof readMacro>;
let macro: Promise<StarterMacro> | undefined;
let vectors: StarterVectors | undefined;

/** The bundled figures. Do not modify. */
export function starterMacro(): Promise<StarterMacro> {
  macro ??= starterStore().then(readMacro);
  return macro;
}

/** The committed vectors. Do not modify. */
export function starterVectors(): StarterVectors {
  vectors ??= readStarterVectors('data/starter/vectors.txt');
  return vectors;
}

/** Writes the whole starter store to `path`. */
export async function copyStarter(path: string): Promise<void> {
  copyFileSync(await starterStore(), path);
}

/** Path of the starter store: the built one, or, if that is outdated, one compiled once per run. */
export async function starterStore(): Promise<string> {
  if (isBuilt()) return BUILT_STARTER;
  return onceInRun('starter.sqlite', async (place) => {
    // Lazily, since this loads all areas and most importers of this file do not need it.
    const { compileStarter } = await import('../scripts/starter/compile.ts');
    compileStarter('data', place);
    return place;
  });
}

function isBuilt(): boolean {
  const built = statSync(BUILT_STARTER, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return FOLDERS.every((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).every(
      (name) => statSync(join(folder, name)).mtimeMs < built,
    ),
  );
}

/**
 * The catalogue of a starter store, and every series that has figures, with the current ones: the day of
 * publication, whether that is exact, and the first day on which the value was certainly current.
 */
function readMacro(path: string) {
  const db = new Database(path, { readonly: true });
  try {
    const series = listSeries(db).flatMap(({ seriesId, taken }) => {
      if (taken === null) return [];
      const vintages = listStored(db, seriesId);
      const observations = vintages
        .filter(({ rtEnd }) => rtEnd === null)
        .map(({ date, value, rtStart: published, exact, knownFrom }) => {
          return { date, value, published, exact: exact === 1, knownFrom };
        });
      return [{ seriesId, taken: taken.slice(0, 10), vintages, observations }];
    });
    return { catalogue: INDICATORS, series };
  } finally {
    db.close();
  }
}
