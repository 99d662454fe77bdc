import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const { command, args, env, model } = JSON.parse(process.argv[2]);
const client = new MultiServerMCPClient({
  mcpServers: { quantshelf: { transport: 'stdio', command, args, env } },
});
const agent = createAgent({
  model: new ChatOpenAI({ model: 'loopback', apiKey: 'none', configuration: { baseURL: model } }),
  tools: await client.getTools(),
});
const messages = [{ role: 'user', content: 'Call every tool.' }];
await agent.invoke({ messages }, { recursionLimit: 50 });
await client.close();
