import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

/** One tool call that the model makes. */
export interface ToolCall {
  tool: string;
  input: object;
}

/** A model behind the APIs of Anthropic and OpenAI on loopback, which makes the same calls in every conversation. */
export interface Model {
  url: string;
  /** The result of each call as the model received it, in the longest conversation. */
  results: readonly string[];
  /** Forgets the results. */
  reset(): void;
  close(): void;
}

const named = z.looseObject({ name: z.string().optional() });
const tools = z.array(
  named.extend({ function: named.optional(), tools: z.array(named).optional() }),
);
const request = z.looseObject({
  stream: z.boolean().optional(),
  tools: tools.optional(),
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.unknown().optional() }))
    .optional(),
  input: z
    .union([
      z.string(),
      z.array(z.looseObject({ output: z.unknown().optional(), tools: tools.optional() })),
    ])
    .optional(),
});
type Request = z.output<typeof request>;
type Api = keyof typeof APIS;

export async function startModel(calls: readonly ToolCall[]): Promise<Model> {
  let results: readonly string[] = [];
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((cause: unknown) => {
      outgoing.writeHead(500).end(String(cause));
    });
  });
  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://loopback').pathname;
    const api = isApi(path);
    const body = request.safeParse(parse(await text(incoming)));
    if (api === undefined || !body.success) {
      const models = { data: [{ id: 'loopback', object: 'model' }], models: [] };
      outgoing.setHeader('Content-Type', 'application/json').end(JSON.stringify(models));
      return;
    }
    const { read, write } = APIS[api];
    const seen = read(body.data);
    if (seen.length > results.length) results = seen;
    const call = calls[seen.length];
    const tool = call && find(body.data, call);
    const made = tool ? { ...tool, id: `call_${seen.length}` } : null;
    const { whole, events } = write(made);
    if (body.data.stream !== true) {
      outgoing.setHeader('Content-Type', 'application/json').end(JSON.stringify(whole));
      return;
    }
    outgoing.setHeader('Content-Type', 'text/event-stream');
    for (const each of events) {
      if (each.type !== undefined) outgoing.write(`event: ${each.type}\n`);
      outgoing.write(`data: ${JSON.stringify(each)}\n\n`);
    }
    outgoing.end(api === 'chat' ? 'data: [DONE]\n\n' : '');
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    get results() {
      return results;
    },
    reset() {
      results = [];
    },
    close: () => server.close(),
  };
}

function isApi(path: string): Api | undefined {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  return path.endsWith('/messages') ? 'messages' : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * A call in the form that a host expects: the tool under the host's name for it; in a namespace, after a
 * search (Codex); or through another tool (qwen-code). Codex and qwen-code do not declare the server's tools
 * themselves.
 */
function find(
  { tools: declared = [], input: items = [] }: Request,
  { tool, input }: ToolCall,
): Omit<Made, 'id'> | undefined {
  const searched = typeof items === 'string' ? [] : items.flatMap((item) => item.tools ?? []);
  for (const each of [...declared, ...searched]) {
    const name = each.name ?? each.function?.name ?? '';
    if (name.endsWith(tool)) return { name, input };
    const nested = each.tools?.find((one) => one.name?.endsWith(tool));
    if (nested?.name !== undefined) return { name: nested.name, namespace: name, input };
    if (name === 'tool_call') {
      return { name, input: { name: `mcp__quantshelf__${tool}`, arguments: input } };
    }
  }
  const hasSearch = declared.some(({ type }) => type === SEARCH);
  return hasSearch ? { name: SEARCH, input: { query: tool.replaceAll('_', ' ') } } : undefined;
}

/** The type of OpenAI's tool that searches for other tools. */
const SEARCH = 'tool_search';

/** The text of a result as a model reads it, including its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = z.array(z.looseObject({ text: z.string().optional() })).safeParse(content).data;
  return parts?.map((part) => part.text ?? '').join('') ?? JSON.stringify(content ?? '');
}

interface Made {
  id: string;
  name: string;
  namespace?: string;
  input: object;
}
type Written = { whole: object; events: readonly ({ type?: string } & Record<string, unknown>)[] };

const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const DONE = 'Done.';

const APIS = {
  chat: {
    read: ({ messages = [] }: Request) =>
      messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
    write(made: Made | null): Written {
      const call = made && {
        id: made.id,
        type: 'function',
        function: { name: made.name, arguments: JSON.stringify(made.input) },
      };
      const said = { role: 'assistant', content: call ? null : DONE };
      const finish_reason = call ? 'tool_calls' : 'stop';
      const head = { id: `chat_${made?.id ?? 'end'}`, created: 1, model: 'loopback' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const message = { ...said, ...(call && { tool_calls: [call] }) };
      const delta = { ...said, ...(call && { tool_calls: [{ index: 0, ...call }] }) };
      const chunk = { ...head, object: 'chat.completion.chunk' };
      return {
        whole: {
          ...head,
          object: 'chat.completion',
          usage,
          choices: [{ index: 0, message, finish_reason }],
        },
        events: [
          { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
          { ...chunk, usage, choices: [{ index: 0, delta: {}, finish_reason }] },
        ],
      };
    },
  },
  responses: {
    read: ({ input = [] }: Request) =>
      typeof input === 'string'
        ? []
        : input
            .filter(({ type }) => type === 'function_call_output')
            .map(({ output }) => textOf(output)),
    write(made: Made | null): Written {
      const search = made?.name === SEARCH && {
        type: 'tool_search_call',
        id: `ts_${made.id}`,
        call_id: `ts_${made.id}`,
        execution: 'client',
        status: 'completed',
        arguments: made.input,
      };
      const item =
        search ||
        (made
          ? {
              type: 'function_call',
              id: `fc_${made.id}`,
              call_id: made.id,
              name: made.name,
              ...(made.namespace !== undefined && { namespace: made.namespace }),
              arguments: JSON.stringify(made.input),
              status: 'completed',
            }
          : {
              type: 'message',
              id: 'msg',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: DONE, annotations: [] }],
            });
      const head = { id: `resp_${made?.id ?? 'end'}`, object: 'response', created_at: 1 };
      const response = { ...head, model: 'loopback', status: 'completed', output: [item] };
      const whole = { ...response, usage: USAGE };
      return {
        whole,
        events: [
          { type: 'response.created', response: { ...response, status: 'in_progress' } },
          { type: 'response.output_item.added', output_index: 0, item },
          { type: 'response.output_item.done', output_index: 0, item },
          { type: 'response.completed', response: whole },
        ],
      };
    },
  },
  messages: {
    read: ({ messages = [] }: Request) =>
      messages.flatMap(({ content }) =>
        (Array.isArray(content) ? content : [])
          .filter((block) => block?.type === 'tool_result')
          .map((block) => textOf(block.content)),
      ),
    write(made: Made | null): Written {
      const block = made
        ? { type: 'tool_use', id: made.id, name: made.name, input: made.input }
        : { type: 'text', text: DONE };
      const stop_reason = made ? 'tool_use' : 'end_turn';
      const head = {
        id: `msg_${made?.id ?? 'end'}`,
        type: 'message',
        role: 'assistant',
        model: 'loopback',
      };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const delta = made
        ? { type: 'input_json_delta', partial_json: JSON.stringify(made.input) }
        : { type: 'text_delta', text: DONE };
      const empty = made ? { ...block, input: {} } : { type: 'text', text: '' };
      return {
        whole: { ...head, content: [block], stop_reason, usage },
        events: [
          { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } },
          { type: 'content_block_start', index: 0, content_block: empty },
          { type: 'content_block_delta', index: 0, delta },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
          { type: 'message_stop' },
        ],
      };
    },
  },
};
