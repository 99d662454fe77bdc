import { expect, it } from 'vitest';
import * as z from 'zod';
import { inputSchema, outputSchema } from '../../src/doors/published.ts';
import { findOperation, operations } from '../../src/operations.ts';

const published = z.looseObject({
  type: z.literal('object'),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()),
});

function row(name: string) {
  const operation = findOperation(name);
  if (operation === undefined) throw new Error(`no ${name}`);
  return operation;
}

const MANIFEST = 'section_key section_type title char_count# section_order#';
const PAPER = `paperCardId sourcePaperId title authors[] abstract summary tags[] sectionCount# fullTextCharCount# pdfUrl
  ${within('availableSections[].', MANIFEST)}`;
const EVENT = `event_card_id title description? market_count# tags[] status coverage_status
  markets[].market_card_id markets[].market_question markets[].status markets[].liquidity# markets[].volume#
  ${within('markets[].outcomes[].', 'label outcome_token_id current_probability#')}`;
const LISTING = `${within('events[].', EVENT)} count# scope`;

/** The contract for `data`: # is a number, ? may be null, ! is a boolean. */
const REPLIES: Readonly<Record<string, string>> = {
  paper_search: within('[].', PAPER),
  paper_read: `${PAPER} ${within('sections[].', `${MANIFEST} content`)}`,
  macro_indicator_search: within('[].', 'indicator series_id frequency units'),
  macro_indicator_history: `indicator series_id title frequency units attribution stale!
    ${within('observations[].', 'date value#? realtime_start realtime_end')}`,
  prediction_market_event_browse: LISTING,
  prediction_market_event_search: `${LISTING} events[].semantic_score#`,
  prediction_market_event_read: EVENT,
};

function within(path: string, fields: string): string {
  return wordsOf(fields)
    .map((field) => path + field)
    .join(' ');
}

function wordsOf(fields: string): string[] {
  return fields.split(/\s+/).filter(Boolean);
}

const node = z.looseObject({
  // An enum needs no type.
  type: z.string().default('string'),
  anyOf: z.array(z.looseObject({ type: z.string() })).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
});

/** Every field that a reply always carries, in the notation of REPLIES. */
function promised(schema: unknown, path = ''): string[] {
  const { type, anyOf, properties, required, items } = node.parse(schema);
  if (type === 'array') return promised(items, `${path}[]`);
  if (type === 'object') {
    const prefix = path === '' ? '' : `${path}.`;
    return (required ?? []).flatMap((name) => promised(properties?.[name], prefix + name));
  }
  const kinds = anyOf?.map((each) => each.type) ?? [type];
  const mark = { number: '#', boolean: '!', string: '' }[kinds[0] ?? ''] ?? ' of another type';
  return [path + mark + (kinds.includes('null') ? '?' : '')];
}

/** The arguments of the contract; ? is optional. The published snapshot pins their limits. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  paper_search: 'query topK?',
  paper_read: 'paperCardId sections?',
  macro_indicator_search: 'q? category? frequency? limit?',
  macro_indicator_history: 'indicator? series_id? start_date? end_date? limit?',
  prediction_market_event_browse:
    'status? q? tag? asset? start_time? end_time? min_volume? min_liquidity? limit? cursor?',
  prediction_market_event_search: 'query status? tag? start_time? end_time? limit?',
  prediction_market_event_read: 'event_card_id',
};

it.each(Object.entries(REPLIES))('%s declares the fields of the contract', (name, fields) => {
  const { data } = published.parse(outputSchema(row(name))).properties;
  expect(promised(data)).toEqual(expect.arrayContaining(wordsOf(fields)));
});

it.each(Object.entries(ARGUMENTS))('%s accepts the arguments of the contract', (name, fields) => {
  const { properties, required = [] } = published.parse(inputSchema(row(name)));
  const names = Object.keys(properties).map((each) =>
    required.includes(each) ? each : `${each}?`,
  );
  expect(names.sort()).toEqual(wordsOf(fields).sort());
});

it('the table has the names, routes and prices of the contract', () => {
  expect(operations.map(({ name, method, path, price }) => [name, method, path, price])).toEqual([
    ['paper_search', 'POST', '/api/paper/search', 1],
    ['paper_read', 'POST', '/api/paper/read', 0],
    ['macro_indicator_search', 'GET', '/api/macro/indicators', 0],
    ['macro_indicator_history', 'GET', '/api/macro/historical', 1],
    ['prediction_market_event_browse', 'GET', '/api/prediction_market/events', 1],
    ['prediction_market_event_search', 'POST', '/api/prediction_market/events/search', 2],
    ['prediction_market_event_read', 'GET', '/api/prediction_market/events/{event_card_id}', 0],
  ]);
});
