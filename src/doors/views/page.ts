import { Server, TOOLS } from './api.ts';
import { watchChart } from './chart.ts';
import { find, prose } from './dom.ts';
import { countOf } from './format.ts';
import { describeTool } from './forms.ts';

// The page of `quantshelf serve`: what an agent sees of each tool, and two indicators in one chart.

/** Fewer credits than this stand out. */
const LOW = 20;

const balance = find('balance', HTMLElement);
const keyStatus = find('key-status', HTMLElement);
const server = new Server((credits) => {
  balance.textContent = countOf(credits, 'credit');
  balance.classList.toggle('bad', credits < LOW);
});

find('tools', HTMLElement).replaceChildren(...TOOLS.map((tool) => describeTool(server, tool)));
const readCatalogue = watchChart(server);
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
