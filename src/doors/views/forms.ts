import { type Reply, requestOf, type Schema, type Server, TOOLS, type Tool } from './api.ts';
import { make, prose, webAddress } from './dom.ts';
import { drawAnswer } from './draw.ts';
import { fold } from './elements.ts';
import { countOf, formatPrice } from './format.ts';
import { type Port, Stage } from './stage.ts';

/** An argument that may hold so many characters gets a line of its own. */
const LONG_TEXT = 1_000;

type Control = HTMLInputElement | HTMLSelectElement;

interface Field {
  argument: string;
  schema: Schema;
  isRequired: boolean;
  control: Control;
}

/** What a drawn answer on the page may do; `onReply` hears of every call. */
export function portTo(server: Server, onReply: (reply: Reply) => void = () => {}): Port {
  const find = (name: string) => TOOLS.find((tool) => tool.name === name);
  return {
    priceOf: (name) => find(name)?.price,
    async call(name, args) {
      const tool = find(name);
      if (tool === undefined) return { kind: 'failure', message: `There is no ${name}.` };
      const reply = await server.call(tool, args);
      onReply(reply);
      return reply.answer;
    },
    link(label, address) {
      const href = webAddress(address);
      if (href === undefined) return label;
      return make('a', { href, rel: 'noopener noreferrer', target: '_blank' }, label);
    },
    tellModel() {},
  };
}

/** A tool with a form to try it, the same call with curl, and what it answers. */
export function describeTool(server: Server, tool: Tool): HTMLElement {
  const { name, title, description, method, path, price, example, input } = tool;
  const fields = Object.entries(input.properties).map(([argument, schema]) => ({
    argument,
    schema,
    isRequired: input.required?.includes(argument) === true,
    control: controlFor(argument, schema, example[argument]),
  }));
  const command = make('pre', { tabindex: 0, 'aria-label': 'The same call with curl' });
  const told = make('p', { class: 'status', role: 'status' });
  const main = make('div', { class: 'answer' });
  const raw = make('pre', { class: 'raw', tabindex: 0, 'aria-label': 'Raw answer' });
  const rawFold = fold('Raw answer, as the agent gets it', raw);
  rawFold.hidden = true;
  const onReply = (reply: Reply) => {
    raw.textContent = indented(reply.text);
    rawFold.hidden = reply.status === 0;
    told.textContent = describeReply(reply);
  };
  const port = portTo(server, onReply);
  const stage = new Stage({ main, status: told, port, draw: drawAnswer, level: 3 });
  const form = make(
    'form',
    { class: 'fields', novalidate: true, 'aria-label': title },
    ...fields.map(fieldFor),
    make(
      'div',
      { class: 'send' },
      make('button', {}, 'Send ', make('small', {}, formatPrice(price))),
    ),
  );
  const argsOf = () =>
    Object.fromEntries(
      fields
        .filter(({ control }) => control.value !== '')
        .map(({ argument, schema, control }) => [argument, readValue(schema.type, control.value)]),
    );
  const showCommand = () => {
    command.textContent = curlOf(tool, argsOf());
  };
  let calls = 0;
  form.addEventListener('input', showCommand);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    calls += 1;
    const call = calls;
    const args = argsOf();
    stage.say('Asking …', '');
    const answer = await port.call(name, args);
    // A later call may have overtaken this one.
    if (call === calls) stage.show(answer, args);
  });
  showCommand();
  const summary = [make('strong', {}, title), ' ', make('code', {}, name), ' '];
  const operation = fold(
    make('span', {}, ...summary, make('code', {}, `${method} ${path}`)),
    make('p', {}, ...prose(description)),
    form,
    command,
    told,
    main,
    rawFold,
  );
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
  if (schema.type === 'integer' || schema.type === 'number') {
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
  if (type === 'array')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function curlOf(tool: Tool, args: Readonly<Record<string, unknown>>): string {
  const { address, body } = requestOf(tool, args);
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl ${quote(location.origin + address)}`,
    '-H "Authorization: Bearer $QUANTSHELF_KEY"',
  ];
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/** The outcome of a call in one line. */
function describeReply({ status, ms, answer }: Reply): string {
  const parts = [status === 0 ? 'no answer' : String(status), `${Math.round(ms)} ms`];
  if (answer.kind === 'answer') {
    const { creditsUsed = 0, remainingCredits = 0 } = answer.meta;
    parts.push(
      `${countOf(creditsUsed, 'credit')} used`,
      `${remainingCredits.toLocaleString('en-US')} left`,
    );
  }
  return parts.join(' · ');
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
