import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput } from '../../src/core/input.ts';
import { inputSchema, outputSchema } from '../../src/doors/published.ts';
import { operations } from '../../src/operations.ts';

const field = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
});
const published = z.looseObject({
  type: z.literal('object'),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), field),
});

function row(name: string) {
  const found = operations.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

const MANIFEST = 'section_key section_type title char_count# section_order#';
const PAPER = `paperCardId sourcePaperId title authors[] abstract summary tags[] sectionCount# fullTextCharCount# pdfUrl
  ${within('availableSections[].', MANIFEST)}`;
const EVENT = `event_card_id title description? market_count# tags[] status coverage_status
  markets[].market_card_id markets[].market_question markets[].status markets[].liquidity# markets[].volume#
  ${within('markets[].outcomes[].', 'label outcome_token_id current_probability#')}`;
const LISTING = `${within('events[].', EVENT)} count# scope`;

/** The contract for `data`: # is a number, ? may be null, ! is a boolean. */
const ANSWERS: Readonly<Record<string, string>> = {
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

/** Every field that an answer always carries, in the notation of ANSWERS. */
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

const STATUS_FILTERS = ['active', 'inactive', 'closed', 'active_or_recently_closed'];
const CATEGORIES = [
  ...['Inflation', 'Rates', 'Labor', 'Growth', 'Housing', 'Liquidity', 'Conditions'],
  ...['FX', 'Credit', 'Sentiment', 'Energy', 'Inflation Expectations', 'Consumption'],
];
const range = (minimum: number, maximum: number, standard: number) => ({
  minimum,
  maximum,
  default: standard,
});
/** Times and tags, which have no limits to publish. */
const FREE = {};

/** Every argument, with the limits that are published. */
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  paper_search: { query: { maxLength: 2000 }, topK: { minimum: 1, default: 5 } },
  paper_read: { paperCardId: FREE, sections: { type: 'array', default: ['all'] } },
  macro_indicator_search: {
    q: FREE,
    category: { enum: CATEGORIES },
    frequency: { enum: ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'] },
    limit: range(1, 100, 20),
  },
  macro_indicator_history: {
    ...{ indicator: FREE, series_id: FREE, start_date: FREE, end_date: FREE },
    limit: range(1, 500, 60),
  },
  prediction_market_event_browse: {
    ...{ tag: FREE, asset: FREE, start_time: FREE, end_time: FREE, cursor: FREE },
    min_volume: FREE,
    min_liquidity: FREE,
    status: { default: 'active', enum: STATUS_FILTERS },
    q: { maxLength: 200 },
    limit: range(1, 100, 20),
  },
  prediction_market_event_search: {
    tag: FREE,
    start_time: FREE,
    end_time: FREE,
    query: { maxLength: 2000 },
    status: { default: 'active_or_recently_closed', enum: STATUS_FILTERS },
    limit: range(1, 20, 5),
  },
  prediction_market_event_read: { event_card_id: FREE },
};
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  paper_search: ['query'],
  paper_read: ['paperCardId'],
  prediction_market_event_search: ['query'],
  prediction_market_event_read: ['event_card_id'],
};

describe('the table', () => {
  it.each(Object.entries(ANSWERS))('%s declares the fields of the contract', (name, fields) => {
    const data = published.parse(outputSchema(row(name))).properties.data;
    expect(promised(data)).toEqual(expect.arrayContaining(wordsOf(fields)));
  });

  it('matches the contract: names, routes and prices', () => {
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

  it.each(Object.entries(ARGUMENTS))('%s accepts the arguments of the contract', (name, limits) => {
    const { properties, required } = published.parse(inputSchema(row(name)));
    expect(Object.keys(properties).sort()).toEqual(Object.keys(limits).sort());
    expect(properties).toMatchObject(limits);
    expect(required ?? []).toEqual(REQUIRED[name] ?? []);
  });

  it('sets no upper bound on topK, which is clamped', () => {
    const { topK } = published.parse(inputSchema(row('paper_search'))).properties;
    expect(topK).not.toHaveProperty('maximum');
    expect(parseInput(row('paper_search'), { query: 'x', topK: 11 })).toMatchObject({ topK: 11 });
  });
});

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_, operation) => {
    it('accepts the arguments of its own example', () => {
      expect(() => parseInput(operation, operation.example)).not.toThrow();
    });

    it('has a short description that names its siblings', () => {
      expect(operation.description.length).toBeLessThan(600);
      expect(operation.description).toMatch(/^[A-Z].*\.$/s);
      const siblings = operations.filter(
        (each) => each.area === operation.area && each !== operation,
      );
      expect(siblings.some(({ name }) => operation.description.includes(name))).toBe(true);
    });
  },
);
