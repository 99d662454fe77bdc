import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  /** A file of ours as its path from the root, a package by its name. */
  target: string;
  typeOnly: boolean;
  dynamic: boolean;
}

export interface CodeFile {
  path: string;
  text: string;
  imports: Import[];
}

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\s+from\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'/g;

/** The imports in the text of the file at `path`. */
export function parseImports(path: string, text: string): Import[] {
  const resolve = (target: string) =>
    target.startsWith('.') ? normalize(join(dirname(path), target)) : target;
  const fixed = [...text.matchAll(STATIC)].map(([statement, type, target = '']) => ({
    target: resolve(target),
    typeOnly: type !== undefined || isAllTypes(statement),
    dynamic: false,
  }));
  // `typeof import('x')` is a type. Only a call at run time loads anything.
  const lazy = [...text.replace(/typeof import\('[^']+'\)/g, '').matchAll(DYNAMIC)].map(
    ([, target = '']) => ({ target: resolve(target), typeOnly: false, dynamic: true }),
  );
  return [...fixed, ...lazy];
}

/** `import { type A, type B } from` loads nothing either. */
function isAllTypes(statement: string): boolean {
  const names = /^\w+\s*\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(',')
    .map((name) => name.trim());
  return names?.filter(Boolean).every((name) => name.startsWith('type ')) ?? false;
}

export function readCode(folder: string): CodeFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const path = join(folder, file);
      const text = readFileSync(path, 'utf8');
      return { path, text, imports: parseImports(path, text) };
    });
}
