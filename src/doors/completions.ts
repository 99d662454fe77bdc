import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { MAX_COMPLETIONS } from '../core/resource.ts';
import type { ReadShelf } from '../core/run.ts';
import type { LazyTable } from './published.ts';
import { toProtocolError } from './resources.ts';

/** What is longer completes nothing: no value is. */
const MAX_TYPED = 200;

/** Answers completions of the templates' variables and of the prompts' arguments. */
export function registerCompletions(
  server: McpServer,
  load: LazyTable['load'],
  readShelf: ReadShelf,
): void {
  // The SDK's own handler tells a completer nothing of who asks, and counts wrongly beyond 100.
  server.server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context } = params;
    const { resources, prompts } = await load();
    const prompt = prompts.find((each) => ref.type === 'ref/prompt' && each.name === ref.name);
    const template = resources.find((each) => ref.type !== 'ref/prompt' && each.uri === ref.uri);
    const target = prompt ?? template;
    if (target === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        ref.type === 'ref/prompt'
          ? 'No prompt has this name; prompts/list shows them.'
          : 'No resource has this URI template; resources/templates/list shows them.',
      );
    }
    const completer =
      prompt === undefined
        ? ownValue(template?.complete, argument.name)
        : ownValue(prompt.arguments, argument.name)?.complete;
    const typed = argument.value;
    if (completer === undefined || typed.length > MAX_TYPED) {
      return { completion: { values: [], total: 0, hasMore: false } };
    }
    const subject = { name: `completion:${target.name}`, area: target.area };
    const others = context?.arguments ?? {};
    const reading = await readShelf(subject, (shelf) => completer(typed, shelf, others));
    if (!reading.ok) throw toProtocolError(reading);
    const { length } = reading.value;
    const hasMore = length > MAX_COMPLETIONS;
    const values = reading.value.slice(0, MAX_COMPLETIONS);
    return { completion: { values, ...(hasMore ? {} : { total: length }), hasMore } };
  });
}

function ownValue<T>(record: Readonly<Record<string, T>> = {}, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
