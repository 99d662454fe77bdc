import { type Answer, type Indicator, isCatalogue, isHistory } from './answer.ts';
import { type Reply, type Schema, Server, TOOLS, type Tool } from './api.ts';
import { find, fold, make, prose } from './dom.ts';
import { drawAnswer } from './draw.ts';
import { formatPrice } from './format.ts';
import { drawPair, wholeHistoryOf } from './history-view.ts';
import { costOf, Stage } from './stage.ts';

// The page of `quantshelf serve`: what an agent sees of each tool, and two indicators in one chart.

const TOOL = { catalogue: 'macro_indicator_search', history: 'macro_indicator_history' };

/** An argument that may hold so many characters gets a line of its own. */
const LONG_TEXT = 1_000;

const keyStatus = find('key-status', HTMLElement);
const server = new Server();
find('tools', HTMLElement).replaceChildren(...TOOLS.map((tool) => describeTool(server, tool)));
const readCatalogue = watchChart(server);
find('key-form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  server.key = find('key', HTMLInputElement).value.trim();
  keyStatus.textContent = 'Trying it …';
  const answer = await readCatalogue();
  const isBad = answer.kind === 'failure';
  keyStatus.replaceChildren(...prose(isBad ? answer.message : 'The key works.'));
  keyStatus.classList.toggle('bad', isBad);
});

/** The chart of one or two indicators; the result reads the catalogue, which also tries the key. */
function watchChart(server: Server): () => Promise<Answer> {
  const selects = ['first', 'second'].map((id) => find(id, HTMLSelectElement));
  const main = find('chart-answer', HTMLElement);
  const status = find('chart-status', HTMLElement);
  const price = find('chart-price', HTMLElement);
  const port = server.port();
  const stage = new Stage({ main, status, port, draw: drawAnswer, level: 3 });
  let indicators: readonly Indicator[] = [];
  const chosen = () =>
    selects.flatMap(({ value }) => indicators.find(({ indicator }) => indicator === value) ?? []);
  const showPrice = () => {
    price.textContent = formatPrice(
      (port.priceOf(TOOL.history) ?? 1) * Math.max(1, chosen().length),
    );
  };

  for (const select of selects) select.addEventListener('change', showPrice);
  find('chart-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    const list = [...new Set(chosen())];
    if (list.length === 0) {
      return stage.say('Choose an indicator first. With a key, the lists are full.', 'bad');
    }
    stage.say('Reading …', '');
    // A call costs the same for all of it; ranges are chosen in the chart.
    const calls = list.map(({ indicator }) => wholeHistoryOf(indicator));
    const answers = await Promise.all(calls.map((args) => port.call(TOOL.history, args)));
    const [first = { kind: 'failure', message: '' }] = answers;
    const pair = answers.flatMap((answer) =>
      answer.kind === 'answer' && isHistory(answer.data)
        ? [{ history: answer.data, meta: answer.meta }]
        : [],
    );
    const failure = answers.find(({ kind }) => kind === 'failure') ?? first;
    if (pair.length < 2) return stage.show(failure, calls[0] ?? {});
    main.replaceChildren(...drawPair(pair, stage));
    main.setAttribute('aria-busy', 'false');
    status.textContent = costOf(...pair.map(({ meta }) => meta));
  });

  return async () => {
    const answer = await port.call(TOOL.catalogue, { limit: 100 });
    indicators = answer.kind === 'answer' && isCatalogue(answer.data) ? answer.data : [];
    for (const [at, select] of selects.entries()) {
      select.replaceChildren(
        ...(at === 0 ? [] : [make('option', { value: '' }, 'none')]),
        ...groupsOf(indicators),
      );
      select.disabled = indicators.length === 0;
    }
    showPrice();
    return answer;
  };
}

function groupsOf(indicators: readonly Indicator[]): HTMLElement[] {
  const categories = [...new Set(indicators.map(({ category }) => category))];
  return categories.map((category) =>
    make(
      'optgroup',
      { label: category },
      ...indicators
        .filter((each) => each.category === category)
        .map(({ indicator, title, observation_end }) =>
          make(
            'option',
            { value: indicator, disabled: observation_end === undefined },
            `${indicator}: ${title}`,
          ),
        ),
    ),
  );
}

type Control = HTMLInputElement | HTMLSelectElement;

interface Field {
  argument: string;
  schema: Schema;
  isRequired: boolean;
  control: Control;
}

/** A tool with a form to try it, and what it answers: drawn, and as an agent gets it. */
function describeTool(server: Server, tool: Tool): HTMLElement {
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
