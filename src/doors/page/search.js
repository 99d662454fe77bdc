import { viewAnswer } from './answers.js';
import { ask, faultOf } from './api.js';
import { find } from './dom.js';
import { countOf } from './format.js';

/** The two search forms: papers and events. */
export function watchSearches() {
  const query = find('paper-query', HTMLInputElement);
  const count = find('paper-count', HTMLSelectElement);
  watch('paper', 'paper_search', '/api/paper/search', () => ({
    query: query.value,
    topK: Number(count.value),
  }));
  const question = find('event-query', HTMLInputElement);
  const status = find('event-status', HTMLSelectElement);
  watch('event', 'prediction_market_event_search', '/api/prediction_market/events/search', () => ({
    query: question.value,
    ...(status.value === '' ? {} : { status: status.value }),
  }));
}

/**
 * @param {'paper' | 'event'} prefix of the ids in index.html
 * @param {string} name of the operation
 * @param {string} path
 * @param {() => object} read the arguments
 */
function watch(prefix, name, path, read) {
  const said = find(`${prefix}-said`, HTMLElement);
  const answers = find(`${prefix}-answers`, HTMLElement);
  let calls = 0;
  find(`${prefix}-form`, HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    calls += 1;
    const call = calls;
    said.textContent = 'Searching …';
    answers.setAttribute('aria-busy', 'true');
    const answer = await ask('POST', path, read());
    // A later call may have overtaken this one.
    if (call !== calls) return;
    answers.setAttribute('aria-busy', 'false');
    said.textContent = faultOf(answer) === '' ? sayCount(answer.json) : '';
    answers.replaceChildren(...viewAnswer(name, answer));
  });
}

/** @param {any} json */
function sayCount({ data, meta }) {
  const found = Array.isArray(data) ? countOf(data.length, 'paper') : countOf(data.count, 'event');
  return `${found}. ${countOf(meta.creditsUsed, 'credit')} used.`;
}
