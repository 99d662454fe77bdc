import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ReadShelf } from '../../../src/core/run.ts';
import { type CallTool, mcpServerFactory } from '../../../src/doors/mcp.ts';
import { asLoaded, type Table } from '../../../src/doors/published.ts';
import * as table from '../../../src/operations.ts';

export const tool = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z.record(z.string(), z.unknown()),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
export type Tool = z.output<typeof tool>;

const nothing: CallTool = () => Promise.reject(new Error('nothing is called'));

const nobody: ReadShelf = () => Promise.reject(new Error('nothing is read'));

/** A client and a server of a table, both in this process. */
export async function connectHere(call = nothing, rows: Table = table, readShelf = nobody) {
  const server = mcpServerFactory(asLoaded(rows), '0.0.0-test', () => {})(call, readShelf);
  const client = new Client({ name: 'quantshelf-tests', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

/** The published table, as a client reads it. */
export async function listTools(): Promise<Tool[]> {
  const client = await connectHere();
  const { tools } = await client.listTools();
  await client.close();
  // Through JSON, since a transport within one process keeps undefined values.
  return z.array(tool).parse(JSON.parse(JSON.stringify(tools)));
}
