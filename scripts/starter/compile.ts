import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EDITION_SETTING } from '../../src/app/starter.ts';
import { migrations } from '../../src/app/store.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openForWriting } from '../../src/store/open.ts';
import { claimModel, writeSetting } from '../../src/store/state.ts';
import { eventText, insertEvents, readStarterEvents, toDelivery } from './events.ts';
import { insertPapers } from './insert-papers.ts';
import { readStarterMacro } from './macro.ts';
import { fillMacro } from './macro-fill.ts';
import { type KeyedText, paperTexts, readStarterPapers, toPaper } from './papers.ts';
import { readStarterVectors, vectorOf } from './vectors.ts';

const takenSchema = z.strictObject({ papers: z.iso.datetime() });
/** Increment with every change to the starter data: stores of a lower edition are updated. */
const editionSchema = z.strictObject({ edition: z.int().min(1) });

/**
 * Compiles the text files of `data/` into the starter store at `target`: a single file without
 * journal or accounts. Deterministic.
 */
export function compileStarter(dataDir: string, target: string): void {
  const building = `${target}.building`;
  rmSync(building, { force: true });
  const starter = join(dataDir, 'starter');
  const vectors = readStarterVectors(join(starter, 'vectors.txt'));
  const read = (name: string): unknown => JSON.parse(readFileSync(join(starter, name), 'utf8'));
  const taken = takenSchema.parse(read('taken.json'));
  const { edition } = editionSchema.parse(read('edition.json'));
  const vector = (key: string, text: string) => vectorOf(vectors, key, text);
  const db = openForWriting(building);
  try {
    migrate(db, migrations, new Date(taken.papers));
    claimModel(db, vectors.model);
    writeSetting(db, EDITION_SETTING, String(edition));
    const papers = readStarterPapers(join(starter, 'papers'));
    insertPapers(
      db,
      papers.map((paper) => toPaper(paper, taken.papers, vector)),
    );
    fillMacro(db, readStarterMacro(dataDir));
    insertEvents(
      db,
      readStarterEvents(starter).map((event) => toDelivery(event, vector)),
    );
    // No ANALYZE: a store grows a hundredfold, but would keep the small shelf's statistics.
    db.pragma('journal_mode = DELETE');
    db.exec('VACUUM');
  } finally {
    db.close();
  }
  renameSync(building, target);
}

/** Every text of the starter shelf that has a committed vector. */
export function starterTexts(dataDir: string): KeyedText[] {
  const starter = join(dataDir, 'starter');
  return [
    ...readStarterPapers(join(starter, 'papers')).flatMap(paperTexts),
    ...readStarterEvents(starter).map(eventText),
  ];
}
