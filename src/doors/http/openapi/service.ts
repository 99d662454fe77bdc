import {
  COMMON_HEADERS,
  EARLY_REFUSALS,
  errorRefs,
  headerRefs,
  type Json,
  QUOTA_HEADERS,
  refusalRefs,
} from './components.ts';

/** Routes that are not operations: the public documents, and MCP. */
export const SERVICE_PATHS: Readonly<Record<string, Json>> = {
  '/': {
    get: open({
      operationId: 'page',
      summary: 'A page for people',
      description: 'Describes the service, lets you try each operation and draws an indicator.',
      type: 'text/html',
      schema: { type: 'string' },
    }),
  },
  '/health': {
    get: open({
      operationId: 'health',
      summary: 'Whether the server is up',
      description: 'Answers as soon as the server listens; it does not check the shelf.',
      type: 'application/json',
      schema: {
        type: 'object',
        properties: { status: { const: 'ok' }, version: { type: 'string' } },
        required: ['status', 'version'],
      },
    }),
  },
  '/openapi.json': {
    get: open({
      operationId: 'openapi',
      summary: 'This document',
      description: 'What the server offers, generated from the table of operations.',
      type: 'application/json',
      schema: {
        type: 'object',
        properties: { openapi: { type: 'string' } },
        required: ['openapi'],
      },
    }),
  },
  '/mcp': {
    post: {
      operationId: 'mcp',
      summary: 'MCP over streamable HTTP',
      description:
        'The same operations as MCP tools, under the same key and at the same prices. ' +
        'Each request counts as one call against the rate limit, a batch as many as its tool calls. ' +
        'A call whose connection closes, or which `notifications/cancelled` names, before its answer costs nothing.',
      tags: ['service'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              oneOf: [
                { type: 'object', description: 'One JSON-RPC 2.0 message.' },
                { type: 'array', description: 'Several.', items: { type: 'object' } },
              ],
            },
            example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
          },
        },
      },
      responses: {
        '200': {
          description: 'The JSON-RPC answer, as one object or as a stream of events.',
          headers: headerRefs([...COMMON_HEADERS, ...QUOTA_HEADERS]),
          content: {
            'application/json': { schema: { type: 'object' } },
            'text/event-stream': { schema: { type: 'string' } },
          },
        },
        '202': {
          description: 'The notification was accepted; there is no answer.',
          headers: headerRefs([...COMMON_HEADERS, ...QUOTA_HEADERS]),
        },
        ...errorRefs([
          'invalid_request',
          'unauthorized',
          'forbidden',
          'method_not_allowed',
          'payload_too_large',
          'unsupported_media_type',
          'rate_limited',
          'internal_error',
          'service_unavailable',
        ]),
        ...refusalRefs([406, ...EARLY_REFUSALS]),
      },
    },
  },
};

/** A route that needs no key. */
function open(route: {
  operationId: string;
  summary: string;
  description: string;
  type: string;
  schema: Json;
}): Json {
  const { type, schema, ...said } = route;
  return {
    ...said,
    tags: ['service'],
    security: [],
    responses: {
      '200': {
        description: 'The answer.',
        headers: headerRefs(COMMON_HEADERS),
        content: { [type]: { schema } },
      },
      ...errorRefs(['forbidden', 'method_not_allowed', 'service_unavailable']),
      ...refusalRefs(EARLY_REFUSALS),
    },
  };
}
