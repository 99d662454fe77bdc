import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { mcpServerFactory } from '../../../src/doors/mcp.ts';
import { asLoaded } from '../../../src/doors/published.ts';
import { serveOnStdio } from '../../../src/doors/stdio-server.ts';
import * as table from '../../../src/operations.ts';

it('names lines that are not JSON in the log, of a flood the first ten, the 100th …', async () => {
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const createServer = mcpServerFactory(asLoaded(table), '0', log);
  const open = () => Promise.reject(new Error('no call is made'));
  const { finished } = serveOnStdio(createServer, open, { input, output, log });
  const written = text(output);
  const flood = '{bad json\n\n'.repeat(1_234);
  input.end(`no message\n${flood}{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
  await finished;
  output.end();
  expect(JSON.parse(await written)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  const [first, ...others] = logged;
  expect(first).toBe('protocol: A line that is not a JSON-RPC message was dropped.');
  expect(others.slice(0, 2)).toEqual([
    'protocol: A line that is not JSON was dropped.',
    'protocol: A line that is not JSON was dropped, 2 by now.',
  ]);
  expect(others.slice(9).map((line) => /, ([\d,]+) by now/.exec(line)?.[1])).toEqual([
    ...['10', '100', '1,000'],
  ]);
});
