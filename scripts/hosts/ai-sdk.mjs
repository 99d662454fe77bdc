import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';

const { command, args, env, model } = JSON.parse(process.argv[2]);
const client = await createMCPClient({ transport: new Stdio({ command, args, env }) });
const provider = createOpenAI({ apiKey: 'none', baseURL: model });
await generateText({
  model: provider('loopback'),
  tools: await client.tools(),
  stopWhen: stepCountIs(20),
  prompt: 'Call every tool.',
});
await client.close();
