import type { McpServer } from '@modelcontextprotocol/server';
import { cut } from '../core/clean.ts';
import type { Prompt } from '../core/prompt.ts';
import type { ReadShelf } from '../core/read.ts';
import { type Completer, type Given, MAX_COMPLETIONS, type Resource } from '../core/resource.ts';
import type { LazyTable } from './lazy-table.ts';
import { invalidParams, toProtocolError } from './protocol-errors.ts';

/** Characters of what has been typed, and of each variable that is known, that are looked at. */
const MAX_TYPED = 200;

/** What variables or arguments are completed for: a template or a prompt. */
interface Completable extends Pick<Resource | Prompt, 'name' | 'area'> {
  completers: ReadonlyMap<string, Completer | undefined>;
}

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
    const target =
      ref.type === 'ref/prompt' ? findPrompt(prompts, ref.name) : findTemplate(resources, ref.uri);
    const completer = target.completers.get(argument.name);
    if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } };
    const asked = { name: `completion:${target.name}`, area: target.area };
    const typed = cut(argument.value, MAX_TYPED);
    const given = cutEach(context?.arguments ?? {});
    const held = await readShelf(asked, (shelf) => completer(typed, shelf, given));
    if (!held.ok) throw toProtocolError(held);
    const { length } = held.value;
    const hasMore = length > MAX_COMPLETIONS;
    const values = held.value.slice(0, MAX_COMPLETIONS);
    return { completion: { values, ...(hasMore ? {} : { total: length }), hasMore } };
  });
}

function cutEach(given: Given): Given {
  const entries = Object.entries(given).map(([name, value]) => [name, cut(value, MAX_TYPED)]);
  return Object.fromEntries(entries);
}

function findTemplate(resources: readonly Resource[], uri: string): Completable {
  const found = resources.find((each) => each.uri === uri);
  if (found === undefined) {
    throw invalidParams('No resource has this URI template; resources/templates/list shows them.');
  }
  return {
    name: found.name,
    area: found.area,
    completers: new Map(Object.entries(found.complete ?? {})),
  };
}

function findPrompt(prompts: readonly Prompt[], name: string): Completable {
  const found = prompts.find((each) => each.name === name);
  if (found === undefined) throw invalidParams('No prompt has this name; prompts/list shows them.');
  const completers = Object.entries(found.arguments).map(
    ([each, { complete }]) => [each, complete] as const,
  );
  return { name: found.name, area: found.area, completers: new Map(completers) };
}
