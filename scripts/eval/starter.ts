import * as z from 'zod';
import { eventIndex } from '../../src/areas/markets/tables.ts';
import { sourceIdOf } from '../../src/areas/papers/cards/ids.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { loadVectorExtension } from '../../src/store/search/vectors/extension.ts';
import { Database } from '../../src/store/sqlite.ts';
import { compileStarter } from '../starter/compile.ts';
import {
  type Collection,
  halfOf,
  type Judged,
  judgedFile,
  readEval,
  withGrades,
} from './collections.ts';

const paperFile = z.array(z.strictObject({ query: z.string(), paper: z.string() }));
const eventFile = z.array(
  z.union([
    z.strictObject({ query: z.string(), event: z.string() }),
    z.strictObject({ query: z.string(), events: z.array(z.string()) }),
  ]),
);

/** The starter shelf with its own queries: one or more per card, and short ones judged on all cards. */
export function readStarter(path: string): Collection[] {
  compileStarter('data', path);
  const db = new Database(path);
  const fault = loadVectorExtension(db);
  if (fault !== null) throw fault;
  const find = db.prepare<[string], number>('SELECT id FROM paper WHERE source_id = ?').pluck();
  const idOf = (paper: string) => find.get(sourceIdOf(paper));
  const papers = readEval('starter-papers.json', paperFile).map(({ query, paper }, index) =>
    judged(query, index, [idOf(paper) ?? Number.NaN]),
  );
  const events = readEval('starter-events.json', eventFile).map((question, index) => {
    const ids = 'event' in question ? [question.event] : question.events;
    return judged(question.query, index, ids.map(Number));
  });
  return [
    {
      name: 'starter papers',
      db,
      index: paperIndex,
      ...withShort(papers, 'starter-papers-short.json', idOf),
    },
    {
      name: 'starter events',
      db,
      index: eventIndex,
      ...withShort(events, 'starter-events-short.json', Number),
    },
  ];
}

function judged(query: string, index: number, ids: readonly number[]): Judged {
  return { query, half: halfOf(index), grades: new Map(ids.map((id) => [id, 1])) };
}

function withShort(
  questions: readonly Judged[],
  file: string,
  idOf: (key: string) => number | undefined,
): Pick<Collection, 'judged' | 'notHeld'> {
  const short = readEval(file, judgedFile).map((one) => withGrades(one, idOf));
  return {
    judged: [...questions, ...short.filter(({ grades }) => grades.size > 0)],
    notHeld: short.filter(({ grades }) => grades.size === 0),
  };
}
