import Database from 'better-sqlite3';
import * as z from 'zod';
import { eventIndex } from '../../src/areas/markets/tables.ts';
import { sourceIdOf } from '../../src/areas/papers/ids.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { compileStarter } from '../starter/compile.ts';
import { type Collection, type Judged, readEval } from './collections.ts';

const paperFile = z.array(z.strictObject({ query: z.string(), paper: z.string() }));
const eventFile = z.array(
  z.union([
    z.strictObject({ query: z.string(), event: z.string() }),
    z.strictObject({ query: z.string(), events: z.array(z.string()) }),
  ]),
);

/** The starter shelf with its own questions, nothing of which was used to choose a weight. */
export function readStarter(path: string): Collection[] {
  compileStarter('data', path);
  const db = new Database(path, { readonly: true });
  const idOf = db.prepare<[string], number>('SELECT id FROM paper WHERE source_id = ?').pluck();
  const papers = readEval('starter-papers.json', paperFile).map(({ query, paper }) => {
    const id = idOf.get(sourceIdOf(paper));
    return judged(query, id === undefined ? [] : [id]);
  });
  const events = readEval('starter-events.json', eventFile).map((question) => {
    const ids = 'event' in question ? [question.event] : question.events;
    return judged(question.query, ids.map(Number));
  });
  return [
    { name: 'starter papers', db, index: paperIndex, judged: papers },
    { name: 'starter events', db, index: eventIndex, judged: events },
  ];
}

function judged(query: string, ids: readonly number[]): Judged {
  return { query, half: 'test', grades: new Map(ids.map((id) => [id, 1])) };
}
