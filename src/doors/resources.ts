import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { notFound } from '../core/errors.ts';
import type { Values } from '../core/resource.ts';
import type { Failed, ReadShelf } from '../core/run.ts';
import { findNamed, type LazyTable, type PublishedResource } from './published.ts';

/** Publishes the resources; each is read behind the scope of its area. */
export function registerResources(
  server: McpServer,
  resources: readonly PublishedResource[],
  load: LazyTable['load'],
  readShelf: ReadShelf,
): void {
  for (const resource of resources) {
    const { name, uri, title, description, mimeType, ttlMs } = resource;
    // What a caller may read depends on its key and on the shelf.
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
}

/** Where the rows of the table come from, and what they read. */
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

/** Lists what a template stands for, to those who may read it. */
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

/** The variables as they were before they became part of a URI; throws `not_found` for what is none. */
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

/** A failure as JSON-RPC has it; our own code and the request id are its data. */
export function toProtocolError({ status, envelope: { error } }: Failed): ProtocolError {
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
