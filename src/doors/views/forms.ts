import { type Child, make, prose, webAddress } from './dom.ts';
import { drawAnswer } from './draw.ts';
import { countOf, formatPrice } from './format.ts';
import { fold } from './parts.ts';
import { type Argument, type Reply, type Route, requestOf, type Server } from './rest.ts';
import { type Port, Stage } from './stage.ts';

/** An argument that may hold so many characters gets a line of its own. */
const LONG_TEXT = 1_000;

type Input = HTMLInputElement | HTMLSelectElement;

/** What a drawn answer on the page may do; `onReply` hears of every call. */
export function portTo(
  server: Server,
  routes: readonly Route[],
  onReply: (reply: Reply) => void,
): Port {
  const find = (tool: string) => routes.find(({ name }) => name === tool);
  return {
    priceOf: (tool) => find(tool)?.price,
    async call(tool, args) {
      const route = find(tool);
      if (route === undefined) return { kind: 'failure', message: `There is no ${tool}.` };
      const reply = await server.call(route, args);
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

/** An operation with a form to try it, the same call with curl, and what it answers. */
export function describeOperation(
  server: Server,
  routes: readonly Route[],
  route: Route,
): HTMLElement {
  const inputs = route.arguments.map((argument) => ({ argument, input: inputFor(argument) }));
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
  const port = portTo(server, routes, onReply);
  const stage = new Stage({ main, status: told, port, draw: drawAnswer, level: 3 });
  const form = make(
    'form',
    { class: 'fields', novalidate: true, 'aria-label': route.title },
    ...inputs.map(({ argument, input }) => fieldFor(argument, input)),
    make(
      'div',
      { class: 'send' },
      make('button', {}, 'Send ', make('small', {}, formatPrice(route.price))),
    ),
  );
  const argsOf = () =>
    Object.fromEntries(
      inputs
        .filter(({ input }) => input.value !== '')
        .map(({ argument: { name, schema }, input }) => [
          name,
          readValue(schema.type, input.value),
        ]),
    );
  const showCommand = () => {
    command.textContent = curlOf(route, argsOf());
  };
  let calls = 0;
  form.addEventListener('input', showCommand);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    calls += 1;
    const call = calls;
    const args = argsOf();
    stage.say('Asking …', '');
    const answer = await port.call(route.name, args);
    // A later call may have overtaken this one.
    if (call === calls) stage.show(answer, args);
  });
  showCommand();
  const operation = fold(
    make(
      'span',
      {},
      make('strong', {}, route.title),
      ' ',
      make('code', {}, route.name),
      ' ',
      make('code', {}, `${route.method} ${route.path}`),
    ),
    make('p', {}, ...prose(route.description)),
    form,
    command,
    told,
    main,
    rawFold,
  );
  operation.className = 'operation';
  return operation;
}

function inputFor({ name, schema, example, isRequired }: Argument): Input {
  const standard = schema.default === undefined ? '' : String(schema.default);
  if (schema.enum !== undefined) {
    const first = example ?? schema.default;
    const options = schema.enum.map((each) => make('option', { selected: each === first }, each));
    const any = standard === '' ? [make('option', { value: '' }, 'any')] : [];
    return make('select', { name }, ...any, ...options);
  }
  const value = example === undefined ? '' : String(example);
  const common = { name, 'aria-required': isRequired, placeholder: standard, value };
  if (schema.type === 'integer' || schema.type === 'number') {
    return make('input', { ...common, type: 'number', min: schema.minimum, max: schema.maximum });
  }
  const isDay = schema.pattern?.includes('\\d{4}-\\d{2}-\\d{2}') === true;
  const type = isDay ? 'date' : 'text';
  return make('input', { ...common, type, maxlength: schema.maxLength, spellcheck: 'false' });
}

function fieldFor({ name, description, isRequired, schema }: Argument, input: Input): HTMLElement {
  const list = schema.type === 'array' ? ' Several with commas between.' : '';
  const title: Child[] = [name, ...(isRequired ? [make('small', {}, ' required')] : [])];
  return make(
    'label',
    { class: (schema.maxLength ?? 0) >= LONG_TEXT ? 'field whole' : 'field' },
    make('strong', {}, ...title),
    input,
    make('small', {}, ...prose(description + list)),
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

function curlOf(route: Route, args: Readonly<Record<string, unknown>>): string {
  const { address, body } = requestOf(route, args);
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
