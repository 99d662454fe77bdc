import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A reviewer's verdict on one recorded event; a test checks the scope rules against it. */
export interface ScopeVerdict {
  id: string;
  title: string;
  /** Slugs as recorded in the latest pull. */
  tags: readonly string[];
  verdict: 'in' | 'out';
  reason: string;
}

const HEADER = 'id,title,tags,verdict,reason';
/** An unquoted cell, or a quoted one with doubled quotes. */
const CELL = /(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g;

/** Reads `scope-review.csv` of the starter directory. Throws an Error that names a broken line. */
export function readScopeReview(dir: string): ScopeVerdict[] {
  const [header, ...lines] = readFileSync(join(dir, 'scope-review.csv'), 'utf8')
    .trimEnd()
    .split('\n');
  if (header !== HEADER) throw new Error(`scope-review.csv must begin with ${HEADER}`);
  return lines.map(readLine);
}

function readLine(line: string): ScopeVerdict {
  const cells = [...line.matchAll(CELL)].map(
    (cell) => cell[1]?.replaceAll('""', '"') ?? cell[2] ?? '',
  );
  const [id, title, tags, verdict, reason] = cells;
  if (
    cells.length !== 5 ||
    !id ||
    !title ||
    tags === undefined ||
    !reason ||
    (verdict !== 'in' && verdict !== 'out')
  ) {
    throw new Error(`scope-review.csv: invalid line: ${line}`);
  }
  return { id, title, tags: tags.split(' ').filter(Boolean), verdict, reason };
}
