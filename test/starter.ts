import { copyFileSync } from 'node:fs';
import { readStarterMacro, type StarterMacro } from '../scripts/starter/macro.ts';
import { readStarterVectors, type StarterVectors } from '../scripts/starter/vectors.ts';
import { onceInRun } from './once.ts';

// The starter data as tests share them: reading and storing them takes seconds, and they never change.

let macro: StarterMacro | undefined;
let vectors: StarterVectors | undefined;

/** The bundled figures. Not to be changed. */
export function starterMacro(): StarterMacro {
  macro ??= readStarterMacro('data');
  return macro;
}

/** The committed vectors. Not to be changed. */
export function starterVectors(): StarterVectors {
  vectors ??= readStarterVectors('data/starter/vectors.txt');
  return vectors;
}

/** Puts the whole starter store at `path`; one process of a run compiles it. */
export async function copyStarter(path: string): Promise<void> {
  const compiled = await onceInRun('starter.sqlite', async (place) => {
    // It loads all areas, which most who import this file do without.
    const { compileStarter } = await import('../scripts/starter/compile.ts');
    compileStarter('data', place);
    return place;
  });
  copyFileSync(compiled, path);
}
