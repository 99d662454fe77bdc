import { make, prose } from './dom.js';
import { viewEvent, viewEvents } from './events.js';
import { viewCatalogue, viewHistories } from './histories.js';
import { viewPaper, viewPapers } from './papers.js';

/** What an error is, before the server's own words. @type {Record<string, string>} */
const FAULTS = {
  invalid_request: 'The request needs a change',
  unauthorized: 'A valid key is needed',
  forbidden: 'This key may not do that',
  insufficient_credits: 'Not enough credits',
  not_found: 'Not found',
  rate_limited: 'Too many calls in a minute',
  internal_error: 'The server failed',
  service_unavailable: 'Not available at the moment',
};
/** What to do, where the server's words do not say it. @type {Record<string, string>} */
const ADVICE = {
  unauthorized: 'Enter a key at the top of this page.',
  rate_limited: 'Wait a minute, then try again.',
  internal_error: 'Try again. The terminal of `quantshelf serve` has the cause.',
};
/** What a verdict of the ranking means. @type {Record<string, string>} */
const VERDICTS = {
  strong: 'Strong match: the best of these is about the question.',
  weak: 'Weak match: these are near the question, but may not answer it.',
  none: 'No match: nothing on the shelf answers this.',
};
/** @type {Record<string, (data: any, meta: any) => Node[]>} */
const VIEWS = {
  paper_search: viewPapers,
  paper_read: viewPaper,
  macro_indicator_search: viewCatalogue,
  macro_indicator_history: (data, meta) => viewHistories([{ data, meta }]),
  prediction_market_event_browse: viewEvents,
  prediction_market_event_search: viewEvents,
  prediction_market_event_read: (event, meta) => [viewEvent(event, meta)],
};

/**
 * An answer as a user reads it, or what is wrong and how to mend it; the raw answer at its end.
 * @param {string} name of the operation
 * @param {import('./api.js').Answer} answer
 * @returns {Node[]}
 */
export function viewAnswer(name, answer) {
  const { status, json } = answer;
  if (status < 200 || status >= 300 || json === undefined) {
    return [viewFault(answer), ...(status === 0 ? [] : [viewRaw(answer)])];
  }
  const { data, meta } = json;
  // A history tells its notice below the plot, where there may be several.
  const isTold = name === 'macro_indicator_history';
  return [
    ...(meta.verdict === undefined ? [] : [viewVerdict(meta.verdict)]),
    ...(meta.notice === undefined || isTold ? [] : [viewNotice(meta.notice)]),
    ...(VIEWS[name]?.(data, meta) ?? []),
    viewRaw(answer),
  ];
}

/** @param {import('./api.js').Answer} answer */
export function viewFault({ status, text, json }) {
  const { code, message } = json?.error ?? {};
  const words = message ?? (text === '' ? `The server answered ${status}.` : text);
  const advice = ADVICE[code];
  return make(
    'div',
    { class: 'fault', role: 'alert' },
    make('strong', {}, FAULTS[code] ?? 'No answer'),
    make('p', {}, ...prose(words)),
    ...(advice === undefined ? [] : [make('p', {}, ...prose(advice))]),
  );
}

/** @param {string} verdict */
function viewVerdict(verdict) {
  return make('p', { class: `verdict ${verdict}` }, VERDICTS[verdict] ?? verdict);
}

/** @param {string} notice */
function viewNotice(notice) {
  return make('p', { class: 'notice' }, make('strong', {}, 'Note: '), ...prose(notice));
}

/**
 * Written out when it is opened: it may be long.
 * @param {import('./api.js').Answer} answer
 */
export function viewRaw({ json, text }) {
  const body = make('pre', { class: 'body', tabindex: 0, 'aria-label': 'Raw answer' });
  const place = make('details', { class: 'raw' }, make('summary', {}, 'Raw answer'), body);
  place.addEventListener('toggle', () => {
    body.textContent = json === undefined ? text : JSON.stringify(json, null, 2);
  });
  return place;
}
