import * as z from 'zod';
import { operations } from '../../src/operations.ts';

/** One run of the inspector, and what must be in its result. */
export interface InspectorCase {
  /** Names the printed line. */
  name: string;
  /** Options of the inspector's command line. */
  options: readonly string[];
  /** What the result must fit; fields that it does not name are free. */
  expected: z.ZodType;
  /** The inspector's exit code; 0 unless stated. */
  exitCode?: number;
}

/** Exit code of the inspector where a tool reports an error. */
const TOOL_ERROR = 5;

const list = (item: z.ZodRawShape) => z.array(z.object(item)).min(1);
const text = z.string().min(1);

/** What each tool returns for the example in its row, on the bundled shelf without a model. */
const DATA: Readonly<Record<string, z.ZodType>> = {
  paper_search: list({ paperCardId: z.uuid(), title: text, tags: z.array(text) }).length(3),
  paper_read: z.object({
    sourcePaperId: z.literal('arxiv:2510.23150'),
    sections: list({ section_key: z.literal('abstract') }).length(1),
  }),
  macro_indicator_search: list({ indicator: z.string().startsWith('us.'), title: text }).length(5),
  macro_indicator_history: z.object({
    series_id: z.literal('PAYEMS'),
    observations: list({ date: z.iso.date(), value: z.number() }).length(12),
  }),
  prediction_market_event_browse: z.object({
    events: list({ event_card_id: z.uuid(), tags: z.array(text).min(1) }).length(3),
  }),
  prediction_market_event_search: z.object({ events: list({ title: z.string().regex(/Fed/) }) }),
  prediction_market_event_read: z.object({
    alias: z.literal('pme_16085'),
    markets: list({ outcomes: list({ label: text, current_probability: z.number() }) }),
  }),
};

/** All runs. A new case is one more element; a new tool needs only its entry in `DATA`. */
export const CASES: readonly InspectorCase[] = [
  {
    name: 'tools/list --strict',
    options: ['--method', 'tools/list', '--strict'],
    expected: z.object({ tools: list({ inputSchema: z.object(), outputSchema: z.object() }) }),
  },
  ...operations.map(({ name, example }) => ({
    name,
    options: callOf(name, example),
    expected: z.object({
      isError: z.literal(false).optional(),
      structuredContent: z.object({
        meta: z.object({ creditsUsed: z.number(), asOf: z.iso.datetime() }),
        data: DATA[name] ?? z.never({ error: 'DATA in scripts/inspect/cases.ts lacks this tool' }),
      }),
    }),
  })),
  {
    name: 'paper_read of an unknown paper',
    options: callOf('paper_read', { paperCardId: '00000000-0000-5000-8000-000000000000' }),
    expected: z.object({
      isError: z.literal(true),
      structuredContent: z.object({
        error: z.object({
          code: z.literal('not_found'),
          message: z.string().regex(/paper_search/),
        }),
        meta: z.object({ creditsUsed: z.literal(0) }),
      }),
    }),
    exitCode: TOOL_ERROR,
  },
  {
    name: 'resources/list',
    options: ['--method', 'resources/list'],
    expected: z.object({ resources: list({ uri: z.string().regex(/^(quantshelf|ui):/) }) }),
  },
  {
    name: 'resources/templates/list',
    options: ['--method', 'resources/templates/list'],
    expected: z.object({ resourceTemplates: list({ uriTemplate: z.string().regex(/\{\w+\}/) }) }),
  },
  {
    name: 'resources/read',
    options: ['--method', 'resources/read', '--uri', 'quantshelf://indicator/us.cpi.headline'],
    expected: z.object({ contents: list({ text: z.string().regex(/CPIAUCSL/) }).length(1) }),
  },
  {
    name: 'resources/read of the view',
    options: ['--method', 'resources/read', '--uri', 'ui://quantshelf/view.html'],
    expected: z.object({
      contents: list({
        mimeType: z.literal('text/html;profile=mcp-app'),
        text: z.string().startsWith('<!doctype html>'),
      }),
    }),
  },
  {
    name: 'prompts/list',
    options: ['--method', 'prompts/list'],
    expected: z.object({ prompts: list({ name: text, description: text }) }),
  },
  {
    name: 'prompts/get',
    options: [
      ...['--method', 'prompts/get', '--prompt-name', 'macro_briefing'],
      ...['--prompt-args', 'topic=Inflation'],
    ],
    expected: z.object({
      messages: list({ content: z.object({ text: z.string().regex(/macro_indicator_search/) }) }),
    }),
  },
];

function callOf(tool: string, input: object): string[] {
  const json = JSON.stringify(input);
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', json];
}
