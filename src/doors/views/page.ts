import { watchChart } from './chart.ts';
import { find, make, prose } from './dom.ts';
import { countOf } from './format.ts';
import { describeOperation } from './forms.ts';
import { type OpenApi, routesOf, Server } from './rest.ts';

// The page of `quantshelf serve`: what an agent sees of each tool, and two indicators in one chart.

/** Fewer credits than this stand out. */
const LOW = 20;

const balance = find('balance', HTMLElement);
const keyStatus = find('key-status', HTMLElement);
const list = find('operations', HTMLElement);
const server = new Server((credits) => {
  balance.textContent = countOf(credits, 'credit');
  balance.classList.toggle('bad', credits < LOW);
});

try {
  const document: OpenApi = await (await fetch('/openapi.json')).json();
  const routes = routesOf(document);
  list.replaceChildren(...routes.map((route) => describeOperation(server, routes, route)));
  find('version', HTMLElement).textContent = `QuantShelf ${document.info.version}`;
  const readCatalogue = watchChart(server, routes);
  find('key-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    server.key = find('key', HTMLInputElement).value.trim();
    keyStatus.textContent = 'Trying it …';
    const answer = await readCatalogue();
    const isBad = answer.kind === 'failure';
    if (isBad) balance.textContent = '';
    keyStatus.replaceChildren(...prose(isBad ? answer.message : 'The key works.'));
    keyStatus.classList.toggle('bad', isBad);
  });
} catch {
  list.replaceChildren(
    make('p', { class: 'bad' }, 'The server did not answer. Is it still running?'),
  );
}
