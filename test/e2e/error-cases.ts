import type { Operation } from '../../src/core/operation.ts';
import { operations } from '../../src/operations.ts';
import { Database } from '../../src/store/sqlite.ts';
import { storeIn } from './support.ts';

/** A call that must fail, whichever door it comes through. */
export interface ErrorCase {
  name: string;
  operation: string;
  input: Record<string, unknown>;
  code: string;
  /** The argument the message is about. */
  param?: string;
  /** What the message must tell, so that the caller can mend the call. */
  says: RegExp;
}

const UNKNOWN_ID = '00000000-0000-5000-8000-000000000000';

/** Faults that every row knows: one field too many, and each field of a wrong type. */
function commonCases(row: Operation): ErrorCase[] {
  const fields = Object.keys(row.input.shape);
  const wrong = fields.map((field) => ({
    name: `${row.name}: ${field} of a wrong type`,
    operation: row.name,
    input: { ...row.example, [field]: { not: 'a value' } },
    code: 'invalid_request',
    param: field,
    says: new RegExp(`"${field}" must be`),
  }));
  const unknown = {
    name: `${row.name}: an unknown argument`,
    operation: row.name,
    input: { ...row.example, [`${fields[0]}x`]: 1 },
    code: 'invalid_request',
    param: `${fields[0]}x`,
    says: new RegExp(`has no argument .* Its arguments are: ${fields.join(', ')}`),
  };
  return [unknown, ...wrong];
}

const ownCases: ErrorCase[] = [
  {
    name: 'paper_search: no query',
    operation: 'paper_search',
    input: {},
    code: 'invalid_request',
    param: 'query',
    says: /needs "query"/,
  },
  {
    name: 'paper_search: a query that is too long',
    operation: 'paper_search',
    input: { query: '𝛔'.repeat(2001) },
    code: 'invalid_request',
    param: 'query',
    says: /at most 2,000 characters; it has 2,001/,
  },
  {
    name: 'paper_search: a blank query',
    operation: 'paper_search',
    input: { query: ' \n\t' },
    code: 'invalid_request',
    param: 'query',
    says: /blank/,
  },
  {
    name: 'paper_search: the name that another tool has for topK',
    operation: 'paper_search',
    input: { query: 'volatility', limit: 3 },
    code: 'invalid_request',
    param: 'limit',
    says: /Did you mean "topK"\?/,
  },
  {
    name: 'paper_read: an unknown paper',
    operation: 'paper_read',
    input: { paperCardId: UNKNOWN_ID },
    code: 'not_found',
    param: 'paperCardId',
    says: /paper_search/,
  },
  {
    name: 'paper_read: an unknown section',
    operation: 'paper_read',
    input: { sections: ['s99-nowhere'] },
    code: 'invalid_request',
    param: 'sections',
    says: /section keys are: abstract/,
  },
  {
    name: 'macro_indicator_history: half a window',
    operation: 'macro_indicator_history',
    input: { start_date: '2024-01-01' },
    code: 'invalid_request',
    param: 'end_date',
    says: /needs "end_date"/,
  },
  {
    name: 'macro_indicator_history: a day that does not exist',
    operation: 'macro_indicator_history',
    input: { start_date: '2023-02-29', end_date: '2024-01-01' },
    code: 'invalid_request',
    param: 'start_date',
    says: /real calendar day/,
  },
  {
    name: 'macro_indicator_history: an indicator outside the catalogue',
    operation: 'macro_indicator_history',
    input: { indicator: 'us.no.such.thing' },
    code: 'not_found',
    param: 'indicator',
    says: /macro_indicator_search/,
  },
  {
    name: 'prediction_market_event_browse: a cursor of nobody',
    operation: 'prediction_market_event_browse',
    input: { cursor: 'bm90IGEgY3Vyc29y' },
    code: 'invalid_request',
    param: 'cursor',
    says: /cursor/,
  },
  {
    name: 'prediction_market_event_search: a window that ends before it starts',
    operation: 'prediction_market_event_search',
    input: { start_time: '2026-01-02T00:00:00Z', end_time: '2026-01-01' },
    code: 'invalid_request',
    param: 'start_time',
    says: /after/,
  },
  {
    name: 'prediction_market_event_read: an unknown event',
    operation: 'prediction_market_event_read',
    input: { event_card_id: UNKNOWN_ID },
    code: 'not_found',
    param: 'event_card_id',
    says: /prediction_market_event_(search|browse)/,
  },
];

/** Calls that fail on a sound shelf with credits. */
export const errorCases: readonly ErrorCase[] = [
  ...operations.flatMap(commonCases),
  ...ownCases.map((each) => {
    const row = operations.find(({ name }) => name === each.operation);
    if (row === undefined) throw new Error(`no operation ${each.operation}`);
    // Only the paper_search cases say the whole input: what they lack is the fault.
    const input =
      each.operation === 'paper_search' ? each.input : { ...row.example, ...each.input };
    return { ...each, input };
  }),
];

/** What no message to a caller may carry: SQL, a stack, a path, another's words. */
export const LEAK = /sqlite_|SELECT|INSERT|no such table|node_modules|\/tmp|\n\s+at |Error:/i;

/** Ways to spoil a sound store so that it cannot be opened, and what the caller is told. */
export const brokenStores: readonly {
  name: string;
  spoil: (path: string) => void;
  says: RegExp;
}[] = [
  {
    name: 'a store written by a newer version',
    spoil: (path) =>
      edit(path, "INSERT INTO migrations (name, applied_at) VALUES ('papers-99', '2030-01-01')"),
    says: /newer QuantShelf.*quantshelf@latest/,
  },
  {
    name: 'a store whose tables are of another schema',
    spoil: (path) => edit(path, 'ALTER TABLE accounts RENAME COLUMN credits TO debits'),
    says: /cannot be opened.*quantshelf doctor/,
  },
];

/** Changes a store behind the server's back. */
export function edit(path: string, sql: string): void {
  const db = new Database(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** The store in a home, read for the test's own questions. */
export function inspect<T>(home: string, question: (db: Database.Database) => T): T {
  const db = new Database(storeIn(home), { readonly: true });
  try {
    return question(db);
  } finally {
    db.close();
  }
}
