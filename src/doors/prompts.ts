import type { McpServer } from '@modelcontextprotocol/server';
import { invalidRequest } from '../core/errors.ts';
import { codePoints } from '../core/fields.ts';
import type { Prompt, Values } from '../core/resource.ts';
import type { ReadShelf } from '../core/run.ts';
import { findNamed, type LazyTable, type PublishedPrompt, passThrough } from './published.ts';
import { toProtocolError } from './resources.ts';

/** Publishes the prompts; each is written behind the scope of its area. */
export function registerPrompts(
  server: McpServer,
  prompts: readonly PublishedPrompt[],
  load: LazyTable['load'],
  readShelf: ReadShelf,
): void {
  for (const published of prompts) {
    const { name, title, description, area } = published;
    const config = { title, description, argsSchema: describeArguments(published) };
    server.registerPrompt(name, config, async (raw) => {
      const reading = await readShelf({ name: `prompt:${name}`, area }, async (shelf) => {
        const prompt = findNamed((await load()).prompts, name);
        return prompt.write(readArguments(prompt, raw), shelf);
      });
      if (!reading.ok) throw toProtocolError(reading);
      const hasArguments = Object.keys(published.arguments).length > 0;
      const text = hasArguments ? `${reading.value}\n\n${CUT_SHORT}` : reading.value;
      return {
        description,
        messages: [{ role: 'user', content: { type: 'text', text } }],
      };
    });
  }
}

/** Claude Code, for one, splits what the user has typed at its blanks. */
const CUT_SHORT =
  "Some hosts pass on only the first word of an argument: the user's whole command stands in the conversation, and counts.";

/** The arguments of a prompt that are not blank; throws `invalid_request`. */
function readArguments(prompt: Prompt, raw: unknown): Values {
  const typed = new Map(Object.entries(Object(raw ?? {})));
  const texts = Object.entries(prompt.arguments).flatMap(
    ([name, { isRequired, max, description }]) => {
      const text = String(typed.get(name) ?? '').trim();
      if (text === '' && isRequired) {
        throw invalidRequest(`${prompt.name} needs "${name}": ${description}`, name);
      }
      if (codePoints(text) > max) {
        const limit = max.toLocaleString('en-US');
        throw invalidRequest(`"${name}" must be at most ${limit} characters.`, name);
      }
      return text === '' ? [] : [[name, text] as const];
    },
  );
  return Object.fromEntries(texts);
}

/** The arguments as they are published. Everything passes: `readArguments` refuses in our words. */
function describeArguments(prompt: PublishedPrompt) {
  const all = Object.entries(prompt.arguments);
  return passThrough({
    type: 'object',
    properties: Object.fromEntries(
      all.map(([name, { description }]) => [name, { type: 'string', description }]),
    ),
    required: all.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  });
}
