import { expect, it } from 'vitest';
import * as z from 'zod';
import { inputSchema, outputSchema } from '../../src/doors/published.ts';
import { operations } from '../../src/operations.ts';

const published = z.looseObject({
  type: z.literal('object'),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()),
});

const MANIFEST = 'section_key section_type title char_count# section_order#';
const PAPER = `paperCardId sourcePaperId title authors[] abstract summary tags[] sectionCount# fullTextCharCount# pdfUrl
  ${within('availableSections[].', MANIFEST)}`;
const EVENT = `event_card_id title description? market_count# tags[] status coverage_status
  markets[].market_card_id markets[].market_question markets[].status markets[].liquidity# markets[].volume#
  ${within('markets[].outcomes[].', 'label outcome_token_id current_probability#')}`;
const LISTING = `${within('events[].', EVENT)} count# scope`;

/**
 * The contract: route, price, arguments and the fields of `data`. `?` after an argument means optional; after
 * a field, that it may be null; # is a number, ! a boolean. The published snapshot pins the limits.
 */
const CONTRACT: Readonly<Record<string, [string, number, string, string]>> = {
  paper_search: ['POST /api/paper/search', 1, 'query topK?', within('[].', PAPER)],
  paper_read: [
    'POST /api/paper/read',
    0,
    'paperCardId sections?',
    `${PAPER} ${within('sections[].', `${MANIFEST} content`)}`,
  ],
  macro_indicator_search: [
    'GET /api/macro/indicators',
    0,
    'q? category? frequency? limit?',
    within('[].', 'indicator series_id frequency units'),
  ],
  macro_indicator_history: [
    'GET /api/macro/historical',
    1,
    'indicator? series_id? start_date? end_date? limit?',
    `indicator series_id title frequency units attribution stale!
    ${within('observations[].', 'date value#? realtime_start realtime_end')}`,
  ],
  prediction_market_event_browse: [
    'GET /api/prediction_market/events',
    1,
    'status? q? tag? asset? start_time? end_time? min_volume? min_liquidity? limit? cursor?',
    LISTING,
  ],
  prediction_market_event_search: [
    'POST /api/prediction_market/events/search',
    2,
    'query status? tag? start_time? end_time? limit?',
    `${LISTING} events[].semantic_score#`,
  ],
  prediction_market_event_read: [
    'GET /api/prediction_market/events/{event_card_id}',
    0,
    'event_card_id',
    EVENT,
  ],
};

function within(path: string, fields: string): string {
  return wordsOf(fields)
    .map((field) => path + field)
    .join(' ');
}

function wordsOf(fields = ''): string[] {
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

/** Every field that a reply always carries, in the notation of CONTRACT. */
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

it('the table of operations has the names in the contract, in the same order', () => {
  expect(operations.map(({ name }) => name)).toEqual(Object.keys(CONTRACT));
});

it.each(operations)('$name has the route, price, arguments and fields of the contract', (row) => {
  const [route, price, args, fields] = CONTRACT[row.name] ?? [];
  expect([`${row.method} ${row.path}`, row.price]).toEqual([route, price]);
  const { properties, required = [] } = published.parse(inputSchema(row));
  const names = Object.keys(properties).map((name) => name + (required.includes(name) ? '' : '?'));
  expect(names.sort()).toEqual(wordsOf(args).sort());
  const { data } = published.parse(outputSchema(row)).properties;
  expect(promised(data)).toEqual(expect.arrayContaining(wordsOf(fields)));
});
