import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  UriTemplate,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { invalidRequest, notFound } from '../core/errors.ts';
import { codePoints } from '../core/fields.ts';
import { MAX_COMPLETIONS, type Prompt, type Values } from '../core/resource.ts';
import type { Failed, ReadShelf } from '../core/run.ts';
import {
  findNamed,
  type LazyTable,
  type PublishedPrompt,
  type PublishedResource,
} from './published.ts';

/** A view as a resource, read from a file instead of the shelf. */
export type View = Omit<PublishedResource, 'area' | 'isListed'> & {
  read(): Promise<ReadResourceResult>;
};

/*
 * By default, the SDK answers mistyped parameters with -32603 and zod's issues. If a schema is registered with
 * the handler, it answers with -32602 and our messages.
 */
export const string = (what: string) => z.string({ error: `must be a string: ${what}` });
/** No list has a second page. Some hosts send an empty cursor. */
export const listParams = z.object({
  cursor: z.literal(['', null], { error: 'must be omitted (every list has one page)' }).optional(),
});
const readParams = z.object({
  uri: string('a URI from resources/list, or one that matches a template'),
});
const argumentText = string('prompts/list describes the arguments');
const promptParams = z.object({
  name: string('the name of a prompt from prompts/list'),
  arguments: z.record(z.string(), argumentText, { error: 'must be an object' }).optional(),
});
const completionParams = z.object({
  ref: z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('ref/prompt'), name: string('the name of a prompt') }),
      z.object({ type: z.literal('ref/resource'), uri: string('the URI template of a resource') }),
    ],
    { error: 'must have the type "ref/prompt" or "ref/resource"' },
  ),
  argument: z.object(
    { name: string('the name of an argument'), value: string('the text typed so far') },
    { error: 'must have a name and a value' },
  ),
  context: z
    .object({ arguments: z.record(z.string(), string('the value of an argument')).optional() })
    .optional(),
});

/** Registers the views and the resources. Reading a resource needs the scope of its area. */
export function registerResources(
  { server }: McpServer,
  resources: readonly PublishedResource[],
  views: readonly View[],
  access: Access,
): void {
  const templates = resources.filter(({ uri }) => uri.includes('{'));
  const fixed = [...resources.filter((each) => !templates.includes(each)), ...views].map(
    ({ uri, ...each }) => ({ uri, ...describe(each) }),
  );
  server.setRequestHandler('resources/list', { params: listParams }, async () => {
    const lists = await Promise.all(
      templates.map(async (each) => {
        const listed = await listResources(each, access);
        return listed.map((resource) => ({ ...describe(each), ...resource }));
      }),
    );
    return { resources: [...fixed, ...lists.flat()] };
  });
  const resourceTemplates = templates.map((each) => ({ ...describe(each), uriTemplate: each.uri }));
  server.setRequestHandler('resources/templates/list', { params: listParams }, () => ({
    resourceTemplates,
  }));
  server.setRequestHandler('resources/read', { params: readParams }, async ({ uri: written }) => {
    const uri = URL.canParse(written) ? new URL(written).href : written;
    // Older versions of the protocol have no cache hints.
    const isHinted = (server.getNegotiatedProtocolVersion() ?? '') >= '2026-07-28';
    const hint = (ttlMs: number, cacheScope: 'public' | 'private') =>
      isHinted ? { ttlMs, cacheScope } : {};
    const view = views.find((each) => each.uri === uri);
    if (view) return { ...(await view.read()), ...hint(view.ttlMs, 'public') };
    for (const resource of resources) {
      const variables = new UriTemplate(resource.uri).match(uri);
      if (variables === null) continue;
      const contents = await readResource(resource, uri, variables, access);
      // Private, because the result depends on the caller's key.
      return { contents, ...hint(resource.ttlMs, 'private') };
    }
    throw new ResourceNotFoundError(
      uri,
      'No resource has this URI; resources/list and resources/templates/list show all resources.',
    );
  });
}

function describe({ name, title, description, mimeType }: Omit<View, 'uri' | 'read'>) {
  return { name, title, description, mimeType };
}

export type Access = Pick<LazyTable, 'load'> & { readShelf: ReadShelf };

async function readResource(
  { name, area, mimeType }: PublishedResource,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
  { load, readShelf }: Access,
): Promise<ReadResourceResult['contents']> {
  const result = await readShelf({ name: `resource:${name}`, area }, async (shelf) => {
    const resource = findNamed((await load()).resources, name);
    return resource.read(decode(variables), shelf);
  });
  if (!result.ok) throw toResourceError(uri, result);
  return [{ uri, mimeType, text: result.value }];
}

/** A template's resources; none if the caller may not read them. */
async function listResources(
  { name, area, uri, isListed }: PublishedResource,
  { load, readShelf }: Access,
) {
  if (!isListed) return [];
  const result = await readShelf({ name: `resources:${name}`, area }, async (shelf) => {
    const resource = findNamed((await load()).resources, name);
    return resource.list?.(shelf) ?? [];
  });
  if (result.ok) return result.value;
  if (result.envelope.error.code === 'forbidden') return [];
  throw toResourceError(uri, result);
}

/** The decoded variables of a URI; throws `not_found` for broken percent-encoding. */
function decode(variables: Readonly<Record<string, string | string[]>>): Values {
  try {
    const decoded = Object.entries(variables).map(([name, value]) => {
      return [name, decodeURIComponent(String(value))] as const;
    });
    return Object.fromEntries(decoded);
  } catch {
    throw notFound('This URI has invalid percent-encoding; write a plain "%" as "%25".');
  }
}

/** Registers the prompts. Getting one needs the scope of its area. */
export function registerPrompts(
  { server }: McpServer,
  published: readonly PublishedPrompt[],
  { load, readShelf }: Access,
): void {
  const prompts = published.map(({ area: _, ...prompt }) => prompt);
  server.setRequestHandler('prompts/list', { params: listParams }, () => ({ prompts }));
  server.setRequestHandler('prompts/get', { params: promptParams }, async (params) => {
    const match = published.find(({ name }) => name === params.name);
    if (match === undefined) throw invalidParams(NO_PROMPT);
    const { name, description, area } = match;
    const result = await readShelf({ name: `prompt:${name}`, area }, async (shelf) => {
      const prompt = findNamed((await load()).prompts, name);
      const values = readArguments(prompt, params.arguments);
      const text = prompt.write(values, shelf);
      return isPerhapsCut(values) ? `${WHOLE_COMMAND}\n\n${text}` : text;
    });
    if (!result.ok) throw toProtocolError(result);
    const content = { type: 'text', text: result.value };
    return { description, messages: [{ role: 'user', content }] };
  });
}

const NO_PROMPT = 'No prompt has this name; prompts/list shows all prompts.';

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/**
 * Claude Code splits the user's text at spaces and passes one word to each argument; the model sees the full
 * command beside the prompt.
 */
const WHOLE_COMMAND =
  'If the command that I typed says more than is quoted here, all of it counts: this host may have passed on only its first words.';

/** Whether the arguments may be only the first words of longer texts. */
function isPerhapsCut(values: Values): boolean {
  const texts = Object.values(values);
  return texts.length > 0 && texts.every((text) => !/\s/.test(text));
}

/** A prompt's arguments, trimmed, without blank ones. Throws `invalid_request` if one is missing or too long. */
function readArguments(prompt: Prompt, typed: Values = {}): Values {
  const texts = Object.entries(prompt.arguments).flatMap(
    ([name, { isRequired, max, description }]) => {
      const text = (ownValue(typed, name) ?? '').trim();
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

/** Longer texts are not completed, because no value is longer. */
const MAX_TYPED = 200;

/** Answers completion requests for template variables and prompt arguments. */
export function registerCompletions({ server }: McpServer, { load, readShelf }: Access): void {
  // The SDK's own handler does not identify the caller, and gives a wrong total beyond 100 values.
  server.setRequestHandler('completion/complete', { params: completionParams }, async (params) => {
    const { ref, argument, context } = params;
    const { resources, prompts } = await load();
    const prompt = prompts.find((each) => ref.type === 'ref/prompt' && each.name === ref.name);
    const template = resources.find((each) => ref.type !== 'ref/prompt' && each.uri === ref.uri);
    const target = prompt ?? template;
    if (target === undefined) {
      throw invalidParams(
        ref.type === 'ref/prompt'
          ? NO_PROMPT
          : 'No resource has this URI template; resources/templates/list shows all templates.',
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
    const result = await readShelf(subject, (shelf) => completer(typed, shelf, others));
    if (!result.ok) throw toProtocolError(result);
    const { length } = result.value;
    const hasMore = length > MAX_COMPLETIONS;
    const values = result.value.slice(0, MAX_COMPLETIONS);
    return { completion: { values, ...(hasMore ? {} : { total: length }), hasMore } };
  });
}

function ownValue<T>(record: Readonly<Record<string, T>> = {}, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A failure as a JSON-RPC error, with our own code and the request id in its data. */
function toProtocolError({ status, envelope: { error } }: Failed): ProtocolError {
  const { code, message, param, requestId } = error;
  return new ProtocolError(
    status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    message,
    { code, ...(param === undefined ? {} : { param }), requestId },
  );
}

/** A failed read as a JSON-RPC error. The protocol has a separate error for a URI that names no resource. */
function toResourceError(uri: string, failed: Failed): ProtocolError {
  const { code, message } = failed.envelope.error;
  return code === 'not_found' || code === 'invalid_request'
    ? new ResourceNotFoundError(uri, message)
    : toProtocolError(failed);
}
