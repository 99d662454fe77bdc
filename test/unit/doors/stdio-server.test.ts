import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { mcpServerFactory } from '../../../src/doors/mcp.ts';
import { asLoaded } from '../../../src/doors/published.ts';
import { serveOnStdio } from '../../../src/doors/stdio-server.ts';
import * as table from '../../../src/operations.ts';

it('the server logs refused lines without quoting them: the first ten, the 100th, the 1,000th …', async () => {
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
  const answers = (await written).trim().split('\n');
  expect(answers).toHaveLength(1_236);
  expect(JSON.parse(answers.at(-1) ?? '')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(logged.slice(0, 2)).toEqual([
    'protocol: A line that is not one JSON-RPC message was refused.',
    'protocol: A line that is not one JSON-RPC message was refused, 2 by now.',
  ]);
  expect(logged.slice(9).map((line) => /, ([\d,]+) by now/.exec(line)?.[1])).toEqual([
    ...['10', '100', '1,000'],
  ]);
});
