import { ask, faultOf, onBalance, setKey } from './api.js';
import { find, make, prose } from './dom.js';
import { countOf } from './format.js';
import { loadCatalogue, watchIndicator } from './indicator.js';
import { describeOperation, priceOf, routesOf } from './operations.js';
import { watchSearches } from './search.js';

/** Fewer credits than this stand out. */
const LOW = 20;

const keyInput = find('key-input', HTMLInputElement);
const keySaid = find('key-said', HTMLElement);
const balance = find('balance', HTMLElement);

onBalance((credits) => {
  balance.textContent = countOf(credits, 'credit');
  balance.classList.toggle('low', credits < LOW);
  keySaid.textContent = `${countOf(credits, 'credit')} left.`;
  keySaid.classList.remove('bad');
});

find('key-form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  setKey(keyInput.value);
  keySaid.textContent = 'Trying it …';
  const fault = await loadCatalogue();
  if (fault === '') return;
  balance.textContent = '';
  keySaid.replaceChildren(...prose(fault));
  keySaid.classList.add('bad');
});

watchIndicator();
watchSearches();
await describeService();

/** Fills in what the OpenAPI document says. */
async function describeService() {
  const list = find('operation-list', HTMLElement);
  const answer = await ask('GET', '/openapi.json');
  const fault = faultOf(answer);
  if (fault !== '') {
    list.replaceChildren(make('p', { class: 'said bad' }, fault));
    return;
  }
  const routes = routesOf(answer.json);
  for (const each of document.querySelectorAll('[data-credits-of]')) {
    const name = each.getAttribute('data-credits-of');
    const { operation } =
      routes.find(({ operation: { operationId } }) => operationId === name) ?? {};
    if (operation !== undefined) each.textContent = priceOf(operation);
  }
  const operations = routes.filter(({ operation }) => operation['x-credits'] !== undefined);
  list.replaceChildren(...operations.map((each) => describeOperation(answer.json, each)));
  find('route-list', HTMLElement).replaceChildren(...routes.map(rowOf));
  find('version', HTMLElement).textContent = `QuantShelf ${answer.json.info.version}`;
}

/** @param {import('./operations.js').Route} route */
function rowOf({ path, method, operation }) {
  const isOpen = operation.security?.length === 0;
  const price = isOpen ? 'no key' : (operation['x-credits'] ?? 'as its tools');
  return make(
    'tr',
    {},
    make('th', { scope: 'row' }, make('code', {}, `${method} `, ...breakable(path))),
    make('td', {}, operation.summary),
    make('td', { class: 'number' }, String(price)),
  );
}

/**
 * A path that may wrap after each slash.
 * @param {string} path
 */
function breakable(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, make('wbr')]);
}
