import { type Answer, type Indicator, isCatalogue, isHistory } from './answer.ts';
import { Server, TOOLS } from './api.ts';
import { find, make, prose } from './dom.ts';
import { drawAnswer } from './draw.ts';
import { formatPrice } from './format.ts';
import { describeTool } from './forms.ts';
import { drawPair, wholeHistoryOf } from './history-view.ts';
import { costOf, Stage } from './stage.ts';

// The page of `quantshelf serve`: what an agent sees of each tool, and two indicators in one chart.

const TOOL = { catalogue: 'macro_indicator_search', history: 'macro_indicator_history' };

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
