import {
  type McpServer,
  type ReadResourceResult,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { notFound } from '../core/errors.ts';
import { codePoints } from '../core/fields.ts';
import type { ReadShelf } from '../core/read.ts';
import type { Given, Resource } from '../core/resource.ts';
import { toResourceError } from './protocol-errors.ts';

/** Most characters of a variable in a URI; ids and keys are much shorter. */
const MAX_VARIABLE = 200;

/** Publishes the resources; each is read behind the scope of its area. */
export function registerResources(
  server: McpServer,
  resources: readonly Resource[],
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
      readResource(resource, at.href, variables, readShelf);
    if (uri.includes('{')) {
      const list = listOf(resource, readShelf);
      server.registerResource(name, new ResourceTemplate(uri, { list }), config, read);
    } else {
      server.registerResource(name, uri, config, (at) => read(at, {}));
    }
  }
}

async function readResource(
  resource: Resource,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
  readShelf: ReadShelf,
): Promise<ReadResourceResult> {
  const asked = { name: `resource:${resource.name}`, area: resource.area };
  const held = await readShelf(asked, (shelf) => resource.read(decode(variables), shelf));
  if (!held.ok) throw toResourceError(uri, held);
  return { contents: [{ uri, mimeType: resource.mimeType, text: held.value }] };
}

/** Lists what a template stands for, to those who may read it. */
function listOf(resource: Resource, readShelf: ReadShelf) {
  if (resource.list === undefined) return undefined;
  const asked = { name: `resources:${resource.name}`, area: resource.area };
  return async () => {
    const held = await readShelf(asked, (shelf) => resource.list?.(shelf) ?? []);
    if (held.ok) return { resources: held.value };
    // The other resources may still be listed.
    if (held.envelope.error.code === 'forbidden') return { resources: [] };
    throw toResourceError(resource.uri, held);
  };
}

/** The variables as they were before they became part of a URI; throws `not_found` for what is none. */
function decode(variables: Readonly<Record<string, string | string[]>>): Given {
  const decoded = Object.entries(variables).map(([name, value]) => [
    name,
    decodePart(String(value)),
  ]);
  return Object.fromEntries(decoded);
}

function decodePart(part: string): string {
  const text = tryDecode(part);
  if (text === undefined || text.trim() === '' || codePoints(text) > MAX_VARIABLE) {
    throw notFound(
      `A part of this URI is blank, longer than ${MAX_VARIABLE} characters, or wrongly percent-encoded. resources/templates/list shows the forms.`,
    );
  }
  return text;
}

function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
