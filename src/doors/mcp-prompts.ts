import type { McpServer } from '@modelcontextprotocol/server';
import { invalidRequest } from '../core/errors.ts';
import { codePoints } from '../core/fields.ts';
import { printable } from '../core/input.ts';
import type { Prompt } from '../core/prompt.ts';
import type { ReadShelf } from '../core/read.ts';
import type { Given } from '../core/resource.ts';
import { toProtocolError } from './protocol-errors.ts';
import { findNamed, type LazyTable, type PublishedPrompt } from './published.ts';
import { passThrough } from './schemas.ts';

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
        const checked = checkArguments(prompt, raw);
        return prompt.write(checked, shelf);
      });
      if (!reading.ok) throw toProtocolError(reading);
      const isCut = Object.keys(published.arguments).length > 0;
      const text = isCut ? `${reading.value}\n\n${CUT_SHORT}` : reading.value;
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

/** The arguments without the blank ones; throws `invalid_request`. */
function checkArguments(prompt: Prompt, raw: unknown): Given {
  const names = Object.keys(prompt.arguments);
  const values: [string, unknown][] = Object.entries(Object(raw ?? {}));
  for (const [name, value] of values) {
    if (!names.includes(name)) {
      throw invalidRequest(
        `${prompt.name} has no argument "${printable(name)}". Its arguments are: ${names.join(', ')}.`,
      );
    }
    if (typeof value !== 'string') throw invalidRequest(`"${name}" must be a string.`, name);
  }
  const texts = values.flatMap(([name, value]) => {
    const text = String(value).trim();
    return text === '' ? [] : [[name, text] as const];
  });
  const checked: Given = Object.fromEntries(texts);
  for (const [name, { isRequired, max, description }] of Object.entries(prompt.arguments)) {
    const text = checked[name];
    if (text === undefined && isRequired) {
      throw invalidRequest(`${prompt.name} needs "${name}": ${description}`, name);
    }
    if (text !== undefined && codePoints(text) > max) {
      const limit = max.toLocaleString('en-US');
      throw invalidRequest(`"${name}" must be at most ${limit} characters.`, name);
    }
  }
  return checked;
}

/** The arguments as they are published. Everything passes: `checkArguments` refuses in our words. */
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
