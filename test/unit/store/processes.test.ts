import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { migrations } from '../../../src/app/store.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForReading, openForWriting } from '../../../src/store/open.ts';
import { compile } from '../../program.ts';

const AT = new Date('2026-11-21T00:00:00Z');
const WORKERS = 3;
let migrator: string;
beforeAll(async () => {
  migrator = await compile('test/unit/store/migrate-child.ts');
});

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-processes-'));
  path = join(directory, 'store.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

function schemaOf(file: string): unknown[] {
  const db = openForReading(file);
  const schema = db.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();
  const applied = db.prepare('SELECT name FROM migrations ORDER BY rowid').pluck().all();
  db.close();
  return [...schema, ...applied];
}

async function startMigrator() {
  const child = spawn(process.execPath, [migrator, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { go: () => child.stdin.write('go\n'), ended };
}

it.each([0, 1])(
  'concurrent processes apply every step once, starting at step %i',
  async (taken) => {
    const older = openForWriting(path);
    migrate(older, migrations.slice(0, taken), AT);
    older.close();
    const children = await Promise.all(Array.from({ length: WORKERS }, startMigrator));
    for (const child of children) child.go();
    const codes = await Promise.all(children.map(({ ended }) => ended));
    expect(codes).toEqual(Array(WORKERS).fill([0, null]));

    const alone = join(directory, 'alone.sqlite');
    const db = openForWriting(alone);
    migrate(db, migrations, AT);
    db.close();
    expect(schemaOf(path)).toEqual(schemaOf(alone));
  },
);
