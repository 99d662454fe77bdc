import { Agent, MCPServerStdio, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';

const { command, args, env, model } = JSON.parse(process.argv[2]);
setTracingDisabled(true);
const server = new MCPServerStdio({ name: 'quantshelf', command, args, env });
await server.connect();
const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: model, useResponses: false });
const agent = new Agent({ name: 'driven', model: 'loopback', mcpServers: [server] });
await new Runner({ modelProvider }).run(agent, 'Call every tool.', { maxTurns: 20 });
await server.close();
