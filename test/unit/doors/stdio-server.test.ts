import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { mcpServerFactory } from '../../../src/doors/mcp.ts';
import { asLoaded } from '../../../src/doors/published.ts';
import { serveOnStdio } from '../../../src/doors/stdio-server.ts';
import * as table from '../../../src/operations.ts';

it('names lines that are not JSON in the log, a flood of them at 1, 10, 100 …', async () => {
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const createServer = mcpServerFactory(asLoaded(table), '0', log);
  const open = () => Promise.reject(new Error('no call is made'));
  const { finished } = serveOnStdio(createServer, open, { input, output, log });
  const written = text(output);
  input.end(`${'{bad json\n\n'.repeat(1_234)}{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
  await finished;
  output.end();
  expect(JSON.parse(await written)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(logged).toEqual(
    ['', ', 10 by now', ', 100 by now', ', 1,000 by now'].map(
      (total) => `protocol: A line that is not JSON was dropped${total}.`,
    ),
  );
});
