import { viewFault, viewRaw } from './answers.js';
import { ask, faultOf } from './api.js';
import { find } from './dom.js';
import { countOf } from './format.js';
import { viewHistories } from './histories.js';
import { chosenItems, emptyPicker, fillPicker, watchPicker } from './picker.js';

const form = find('indicator-form', HTMLFormElement);
const range = find('indicator-range', HTMLSelectElement);
const start = find('indicator-start', HTMLInputElement);
const end = find('indicator-end', HTMLInputElement);
const scale = find('indicator-scale', HTMLSelectElement);
const price = find('indicator-price', HTMLElement);
const said = find('indicator-said', HTMLElement);
const figure = find('indicator-figure', HTMLElement);
/** The answers that are shown. @type {import('./api.js').Answer[]} */
let held = [];
let calls = 0;

/**
 * Fills the list from the catalogue. That call is free, so it also tests the key.
 * @returns {Promise<string>} what went wrong, or an empty string
 */
export async function loadCatalogue() {
  const answer = await ask('GET', '/api/macro/indicators?limit=100');
  const fault = faultOf(answer);
  if (fault === '') fillPicker(answer.json.data);
  else emptyPicker('No catalogue with this key.');
  showPrice();
  return fault;
}

/** Draws what the form asks for, on every submit. */
export function watchIndicator() {
  watchPicker(showPrice);
  range.addEventListener('change', showDates);
  scale.addEventListener('change', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void draw();
  });
  showDates();
}

async function draw() {
  const items = chosenItems();
  if (items.length === 0) {
    said.textContent = 'Choose an indicator first. With a key, the list above is full.';
    return;
  }
  calls += 1;
  const call = calls;
  said.textContent = 'Reading …';
  // The plot still shown belongs to an earlier request.
  figure.setAttribute('aria-busy', 'true');
  const answers = await Promise.all(
    items.map((item) => ask('GET', `/api/macro/historical?${queryOf(item.indicator, items)}`)),
  );
  // A later call may have overtaken this one.
  if (call !== calls) return;
  figure.setAttribute('aria-busy', 'false');
  const [bad] = answers.filter((answer) => faultOf(answer) !== '');
  if (bad !== undefined) {
    said.textContent = '';
    figure.replaceChildren(viewFault(bad));
    return;
  }
  held = answers;
  const used = held.reduce((sum, { json }) => sum + json.meta.creditsUsed, 0);
  said.textContent = `${countOf(used, 'credit')} used.`;
  show();
}

/** Another scale shows what is held anew, without a call. */
function show() {
  if (held.length === 0) return;
  const wanted = /** @type {import('./lines.js').Scale} */ (scale.value);
  const histories = held.map(({ json }) => json);
  figure.replaceChildren(...viewHistories(histories, wanted), ...held.map(viewRaw));
}

/**
 * A range of years ends with the newest figure, so that an old shelf has something to show.
 * @param {string} indicator
 * @param {readonly any[]} items
 */
function queryOf(indicator, items) {
  const query = new URLSearchParams({ indicator });
  const newest = items.map((item) => item.observation_end).reduce((a, b) => (b > a ? b : a));
  const oldest = items.map((item) => item.observation_start).reduce((a, b) => (b < a ? b : a));
  if (range.value === 'newest') query.set('limit', '60');
  else if (range.value === 'dates') {
    if (start.value !== '') query.set('start_date', start.value);
    if (end.value !== '') query.set('end_date', end.value);
  } else {
    const years = Number(range.value);
    query.set('start_date', years === 0 ? oldest : yearsBefore(newest, years));
    // What was published since the list was filled belongs to it.
    query.set('end_date', laterOf(newest, new Date().toISOString().slice(0, 10)));
  }
  return query;
}

/**
 * @param {string} date YYYY-MM-DD
 * @param {number} years
 */
function yearsBefore(date, years) {
  const day = new Date(date);
  day.setUTCFullYear(day.getUTCFullYear() - years);
  return day.toISOString().slice(0, 10);
}

/**
 * @param {string} one
 * @param {string} other
 */
function laterOf(one, other) {
  return one > other ? one : other;
}

function showDates() {
  const isHidden = range.value !== 'dates';
  for (const input of [start, end]) {
    const field = input.closest('label');
    if (field !== null) field.hidden = isHidden;
  }
}

function showPrice() {
  price.textContent = countOf(Math.max(1, chosenItems().length), 'credit');
}
