import type { Reply, Schema, Server, Tool } from './api.ts';
import { fold, make, prose } from './dom.ts';
import { drawAnswer } from './draw.ts';
import { formatPrice } from './format.ts';
import { costOf, Stage } from './stage.ts';

/** An argument that may hold so many characters gets a line of its own. */
const LONG_TEXT = 1_000;

type Control = HTMLInputElement | HTMLSelectElement;

interface Field {
  argument: string;
  schema: Schema;
  isRequired: boolean;
  control: Control;
}

/** A tool with a form to try it, and what it answers: drawn, and as an agent gets it. */
export function describeTool(server: Server, tool: Tool): HTMLElement {
  const { name, title, description, method, path, price, example, input } = tool;
  const fields = Object.entries(input.properties).map(([argument, schema]) => ({
    argument,
    schema,
    isRequired: input.required?.includes(argument) === true,
    control: controlFor(argument, schema, example[argument]),
  }));
  const status = make('p', { class: 'status', role: 'status' });
  const main = make('div', { class: 'answer' });
  const raw = make('pre', { class: 'raw', tabindex: 0, 'aria-label': 'Raw answer' });
  const rawFold = fold('Raw answer, as the agent gets it', raw);
  rawFold.hidden = true;
  const port = server.port((reply) => {
    raw.textContent = indented(reply.text);
    rawFold.hidden = reply.status === 0;
    status.textContent = describeReply(reply);
  });
  const stage = new Stage({ main, status, port, draw: drawAnswer, level: 3 });
  const button = make('button', {}, 'Send ', make('small', {}, formatPrice(price)));
  const form = make(
    'form',
    { class: 'fields', novalidate: true, 'aria-label': title },
    ...fields.map(fieldFor),
    make('div', { class: 'send' }, button),
  );
  let calls = 0;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    calls += 1;
    const call = calls;
    const entries = fields.filter(({ control }) => control.value !== '');
    const args = Object.fromEntries(
      entries.map(({ argument, schema, control }) => [
        argument,
        readValue(schema.type, control.value),
      ]),
    );
    stage.say('Asking …', '');
    const answer = await port.call(name, args);
    // A later call may have overtaken this one.
    if (call === calls) stage.show(answer, args);
  });
  const heading = [make('strong', {}, title), ' ', make('code', {}, name), ' '];
  const summary = make('span', {}, ...heading, make('code', {}, `${method} ${path}`));
  const text = make('p', {}, ...prose(description));
  const operation = fold(summary, text, form, status, main, rawFold);
  operation.className = 'operation';
  return operation;
}

function controlFor(name: string, schema: Schema, example: unknown): Control {
  const standard = schema.default === undefined ? '' : String(schema.default);
  if (schema.enum !== undefined) {
    const first = example ?? schema.default;
    const options = schema.enum.map((each) => make('option', { selected: each === first }, each));
    const any = standard === '' ? [make('option', { value: '' }, 'any')] : [];
    return make('select', { name }, ...any, ...options);
  }
  const value = example === undefined ? '' : String(example);
  const common = { name, placeholder: standard, value };
  if (isNumber(schema.type)) {
    return make('input', { ...common, type: 'number', min: schema.minimum, max: schema.maximum });
  }
  const isDay = schema.pattern?.includes('\\d{4}-\\d{2}-\\d{2}') === true;
  const type = isDay ? 'date' : 'text';
  return make('input', { ...common, type, maxlength: schema.maxLength, spellcheck: 'false' });
}

function fieldFor({ argument, schema, isRequired, control }: Field): HTMLElement {
  const list = schema.type === 'array' ? ' Several with commas between.' : '';
  control.ariaRequired = String(isRequired);
  return make(
    'label',
    { class: (schema.maxLength ?? 0) >= LONG_TEXT ? 'field whole' : 'field' },
    make('strong', {}, argument, ...(isRequired ? [make('small', {}, ' required')] : [])),
    control,
    make('small', {}, ...prose((schema.description ?? '') + list)),
  );
}

function readValue(type: string | undefined, text: string): unknown {
  if (type === 'array') {
    const parts = text.split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '');
  }
  return isNumber(type) ? Number(text) : text;
}

function isNumber(type: string | undefined): boolean {
  return type === 'integer' || type === 'number';
}

/** The outcome of a call in one line. */
function describeReply({ status, answer }: Reply): string {
  if (status === 0) return 'no answer';
  return answer.kind === 'answer' ? `${status} · ${costOf(answer.meta)}` : String(status);
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
