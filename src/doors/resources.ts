import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { invalidRequest, notFound } from '../core/errors.ts';
import { codePoints } from '../core/fields.ts';
import type { Prompt } from '../core/resource.ts';
import { MAX_COMPLETIONS, type Values } from '../core/resource.ts';
import type { Failed, ReadShelf } from '../core/run.ts';
import {
  findNamed,
  type LazyTable,
  type PublishedPrompt,
  type PublishedResource,
  passThrough,
} from './published.ts';

/** Publishes the resources; each is read behind the scope of its area. */
export function registerResources(
  server: McpServer,
  resources: readonly PublishedResource[],
  load: LazyTable['load'],
  readShelf: ReadShelf,
): void {
  for (const resource of resources) {
    const { name, uri, title, description, mimeType, ttlMs } = resource;
    // Answers depend on the caller's key and on the shelf.
    const config = {
      title,
      description,
      mimeType,
      cacheHint: { ttlMs, cacheScope: 'private' as const },
    };
    const read = (at: URL, variables: Readonly<Record<string, string | string[]>>) =>
      readResource(resource, at.href, variables, { load, readShelf });
    if (uri.includes('{')) {
      const list = listOf(resource, { load, readShelf });
      server.registerResource(name, new ResourceTemplate(uri, { list }), config, read);
    } else {
      server.registerResource(name, uri, config, (at) => read(at, {}));
    }
  }
  refuseOthers(server, resources);
}

class AnyUri extends UriTemplate {
  override match() {
    return {};
  }
}

/** Refuses any other URI in our words: the SDK's do not say where those that exist are listed. */
function refuseOthers(server: McpServer, resources: readonly PublishedResource[]): void {
  const others = new ResourceTemplate(new AnyUri('{+uri}'), { list: undefined });
  server.registerResource('others', others, {}, ({ href }) => {
    throw new ResourceNotFoundError(
      href,
      'No resource has this URI; resources/list and resources/templates/list show them.',
    );
  });
  const resourceTemplates = resources
    .filter(({ uri }) => uri.includes('{'))
    .map(({ name, title, description, mimeType, uri }) => {
      return { name, title, description, mimeType, uriTemplate: uri };
    });
  // The SDK would list that template, too.
  server.server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
}

/** Loads the table, for its rows and for reading. */
type Source = Pick<LazyTable, 'load'> & { readShelf: ReadShelf };

async function readResource(
  { name, area, mimeType }: PublishedResource,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
  { load, readShelf }: Source,
): Promise<ReadResourceResult> {
  const reading = await readShelf({ name: `resource:${name}`, area }, async (shelf) => {
    const resource = findNamed((await load()).resources, name);
    return resource.read(decode(variables), shelf);
  });
  if (!reading.ok) throw toResourceError(uri, reading);
  return { contents: [{ uri, mimeType, text: reading.value }] };
}

/** Lists the resources of a template, to those who may read them. */
function listOf({ name, area, uri, isListed }: PublishedResource, { load, readShelf }: Source) {
  if (!isListed) return undefined;
  return async () => {
    const reading = await readShelf({ name: `resources:${name}`, area }, async (shelf) => {
      const resource = findNamed((await load()).resources, name);
      return resource.list?.(shelf) ?? [];
    });
    if (reading.ok) return { resources: reading.value };
    // The other resources may still be listed.
    if (reading.envelope.error.code === 'forbidden') return { resources: [] };
    throw toResourceError(uri, reading);
  };
}

/** The decoded variables of a URI; throws `not_found` for broken percent-encoding. */
function decode(variables: Readonly<Record<string, string | string[]>>): Values {
  try {
    const decoded = Object.entries(variables).map(([name, value]) => {
      return [name, decodeURIComponent(String(value))] as const;
    });
    return Object.fromEntries(decoded);
  } catch {
    throw notFound('A part of this URI is wrongly percent-encoded.');
  }
}

/** Publishes the prompts; each is written behind the scope of its area. */
export function registerPrompts(
  server: McpServer,
  prompts: readonly PublishedPrompt[],
  load: LazyTable['load'],
  readShelf: ReadShelf,
): void {
  for (const published of prompts) {
    const { name, title, description, area } = published;
    const config = { title, description, argsSchema: describeArguments(published) };
    server.registerPrompt(name, config, async (raw) => {
      const reading = await readShelf({ name: `prompt:${name}`, area }, async (shelf) => {
        const prompt = findNamed((await load()).prompts, name);
        const values = readArguments(prompt, raw);
        const text = prompt.write(values, shelf);
        return isPerhapsCut(values) ? `${WHOLE_COMMAND}\n\n${text}` : text;
      });
      if (!reading.ok) throw toProtocolError(reading);
      return {
        description,
        messages: [{ role: 'user', content: { type: 'text', text: reading.value } }],
      };
    });
  }
}

/**
 * Claude Code splits the user's text at spaces and passes one word to each argument; its model sees the whole
 * command beside the prompt.
 */
const WHOLE_COMMAND =
  'If the command that I typed says more than is quoted here, all of it counts: this host may have passed on only its first words.';

/** Whether arguments may be the first words of longer ones. */
function isPerhapsCut(values: Values): boolean {
  const texts = Object.values(values);
  return texts.length > 0 && texts.every((text) => !/\s/.test(text));
}

/** The arguments of a prompt that are not blank; throws `invalid_request`. */
function readArguments(prompt: Prompt, raw: unknown): Values {
  const typed = new Map(Object.entries(Object(raw ?? {})));
  const texts = Object.entries(prompt.arguments).flatMap(
    ([name, { isRequired, max, description }]) => {
      const text = String(typed.get(name) ?? '').trim();
      if (text === '' && isRequired) {
        throw invalidRequest(`${prompt.name} needs "${name}": ${description}`, name);
      }
      if (codePoints(text) > max) {
        const limit = max.toLocaleString('en-US');
        throw invalidRequest(`"${name}" must be at most ${limit} characters.`, name);
      }
      return text === '' ? [] : [[name, text] as const];
    },
  );
  return Object.fromEntries(texts);
}

/** The arguments as they are published. Everything passes: `readArguments` refuses in our words. */
function describeArguments(prompt: PublishedPrompt) {
  const all = Object.entries(prompt.arguments);
  return passThrough({
    type: 'object',
    properties: Object.fromEntries(
      all.map(([name, { description }]) => [name, { type: 'string', description }]),
    ),
    required: all.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  });
}

/** Longer text completes nothing, since no value is longer. */
const MAX_TYPED = 200;

/** Answers completions of the templates' variables and of the prompts' arguments. */
export function registerCompletions(
  server: McpServer,
  load: LazyTable['load'],
  readShelf: ReadShelf,
): void {
  // The SDK's own handler does not say who asks, and counts wrongly beyond 100.
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

/** A failure as JSON-RPC has it; our own code and the request id are its data. */
function toProtocolError({ status, envelope: { error } }: Failed): ProtocolError {
  const { code, message, param, requestId } = error;
  return new ProtocolError(
    status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    message,
    { code, ...(param === undefined ? {} : { param }), requestId },
  );
}

/** The same for a resource: the protocol has an error of its own for one that is not there. */
function toResourceError(uri: string, failed: Failed): ProtocolError {
  const { code, message } = failed.envelope.error;
  return code === 'not_found' || code === 'invalid_request'
    ? new ResourceNotFoundError(uri, message)
    : toProtocolError(failed);
}
