import { viewAnswer } from './answers.js';
import { ask } from './api.js';
import { make, prose } from './dom.js';
import { countOf } from './format.js';

/** An argument that may hold so many characters gets a line of its own. */
const LONG_TEXT = 1_000;

/**
 * @typedef {object} Argument
 * @property {string} name
 * @property {boolean} required
 * @property {string} description
 * @property {'path' | 'query' | 'body'} place
 * @property {any} schema
 * @property {unknown} example
 *
 * @typedef {object} Route
 * @property {string} path
 * @property {string} method
 * @property {any} operation as it stands in the document
 */

/**
 * Every route of an OpenAPI document, in its order.
 * @param {any} document
 * @returns {Route[]}
 */
export function routesOf(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
}

/**
 * An expandable route with a form to try it.
 * @param {any} document
 * @param {Route} route
 */
export function describeOperation(document, { path, method, operation }) {
  const known = argumentsOf(document, operation);
  const inputs = known.map((argument) => ({ argument, input: inputFor(argument) }));
  const command = make('pre', {
    class: 'command',
    tabindex: 0,
    'aria-label': 'The same call with curl',
  });
  const button = make('button', {}, 'Send ', make('small', {}, priceOf(operation)));
  const told = make('p', { class: 'said', role: 'status' });
  const shown = make('div', { class: 'answers' });
  const form = make(
    'form',
    { class: 'fields', novalidate: true, 'aria-label': operation.summary },
    ...inputs.map(({ argument, input }) => fieldFor(argument, input)),
    make('div', { class: 'send' }, button),
  );
  const current = () => requestOf(path, method, inputs);
  const showCommand = () => {
    command.textContent = curlOf(current());
  };
  let calls = 0;
  form.addEventListener('input', showCommand);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    calls += 1;
    const call = calls;
    told.textContent = 'Asking …';
    shown.setAttribute('aria-busy', 'true');
    const request = current();
    const answer = await ask(method, request.address, request.body);
    // A later call may have overtaken this one.
    if (call !== calls) return;
    shown.setAttribute('aria-busy', 'false');
    told.textContent = describeAnswer(answer);
    shown.replaceChildren(...viewAnswer(operation.operationId, answer));
  });
  showCommand();
  return make(
    'details',
    { class: 'operation' },
    make(
      'summary',
      {},
      make('span', { class: 'title' }, operation.summary),
      make(
        'span',
        { class: 'names' },
        make('code', { class: 'tool' }, operation.operationId),
        ' ',
        make('code', { class: 'route' }, `${method} ${path}`),
      ),
    ),
    make('p', {}, ...prose(operation.description)),
    form,
    command,
    told,
    shown,
  );
}

/** @param {any} operation */
export function priceOf(operation) {
  const price = operation['x-credits'];
  return price === 0 ? 'free' : countOf(price, 'credit');
}

/**
 * The arguments of an operation, from its parameters or its body.
 * @param {any} document
 * @param {any} operation
 * @returns {Argument[]}
 */
function argumentsOf(document, operation) {
  const media = operation.requestBody?.content['application/json'];
  if (media === undefined) {
    return (operation.parameters ?? []).map((/** @type {any} */ each) => ({
      ...each,
      place: each.in,
      required: each.required === true,
    }));
  }
  const schema = document.components.schemas[media.schema.$ref.split('/').at(-1)];
  return Object.entries(schema.properties).map(([name, { description, ...rest }]) => ({
    name,
    description,
    place: 'body',
    required: (schema.required ?? []).includes(name),
    schema: rest,
    example: media.example?.[name],
  }));
}

/** @param {Argument} argument */
function inputFor({ name, schema, example, required }) {
  const value = example === undefined ? '' : String(example);
  const standard = schema.default === undefined ? '' : `${schema.default}`;
  if (schema.enum !== undefined) {
    const options = standard === '' ? [make('option', { value: '' }, 'any')] : [];
    const first = example ?? schema.default;
    for (const each of schema.enum)
      options.push(make('option', { selected: each === first }, each));
    return make('select', { name }, ...options);
  }
  const common = { name, 'aria-required': required, placeholder: standard, value };
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum: min, maximum: max } = schema;
    const step = schema.type === 'integer' ? 1 : 'any';
    return make('input', { ...common, type: 'number', min, max, step });
  }
  if (schema.pattern?.includes('\\d{4}-\\d{2}-\\d{2}'))
    return make('input', { ...common, type: 'date' });
  return make('input', {
    ...common,
    type: 'text',
    maxlength: schema.maxLength,
    spellcheck: 'false',
  });
}

/**
 * @param {Argument} argument
 * @param {Node} input
 */
function fieldFor({ name, description, required, schema }, input) {
  const list = schema.type === 'array' ? ' Several with commas between.' : '';
  return make(
    'label',
    { class: schema.maxLength >= LONG_TEXT ? 'field whole' : 'field' },
    make('span', { class: 'name' }, name, required ? make('small', {}, ' required') : ''),
    input,
    make('small', { class: 'hint' }, ...prose((description ?? '') + list)),
  );
}

/**
 * @param {string} path
 * @param {string} method
 * @param {readonly {argument: Argument, input: HTMLInputElement | HTMLSelectElement}[]} inputs
 */
function requestOf(path, method, inputs) {
  let address = path;
  const query = new URLSearchParams();
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const { argument, input } of inputs) {
    const { name, place, schema } = argument;
    const text = input.value;
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(text));
    else if (text !== '' && place === 'query') query.set(name, text);
    else if (text !== '') body[name] = toValue(schema, text);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return { method, address: address + search, ...(method === 'POST' ? { body } : {}) };
}

/**
 * @param {any} schema
 * @param {string} text
 */
function toValue(schema, text) {
  if (schema.type === 'array')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  return schema.type === 'integer' || schema.type === 'number' ? Number(text) : text;
}

/** @param {{method: string, address: string, body?: object}} request */
function curlOf({ address, body }) {
  const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl ${quote(location.origin + address)}`,
    '-H "Authorization: Bearer $QUANTSHELF_KEY"',
  ];
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/**
 * The outcome of a call in one line: status, time and credits.
 * @param {import('./api.js').Answer} answer
 */
function describeAnswer({ status, json, ms }) {
  const { creditsUsed, remainingCredits } = json?.meta ?? {};
  return [
    status === 0 ? 'no answer' : String(status),
    `${Math.round(ms)} ms`,
    creditsUsed === undefined ? '' : `${countOf(creditsUsed, 'credit')} used`,
    remainingCredits === undefined ? '' : `${remainingCredits.toLocaleString('en-US')} left`,
  ]
    .filter(Boolean)
    .join(' · ');
}
