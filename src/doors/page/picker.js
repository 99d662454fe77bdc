import { find, make } from './dom.js';
import { countOf, nameOf } from './format.js';
import { sayItem } from './histories.js';
import { MOST_SERIES } from './lines.js';

const options = find('indicator-options', HTMLElement);
const filter = find('indicator-filter', HTMLInputElement);
const chosenList = find('indicator-chosen', HTMLElement);
/** @type {{item: any, box: HTMLInputElement, row: HTMLElement, words: string}[]} */
let rows = [];

/**
 * Fills the list of indicators.
 * @param {readonly any[]} items of the catalogue
 */
export function fillPicker(items) {
  const groups = new Map();
  rows = items.map((item) => {
    const isEmpty = item.observation_end === undefined;
    const box = make('input', { type: 'checkbox', value: item.indicator, disabled: isEmpty });
    const row = make(
      'label',
      { class: 'option' },
      box,
      make(
        'span',
        {},
        make('span', { class: 'option-name' }, nameOf(item.title)),
        make('small', {}, `${item.indicator} · ${sayItem(item)}`),
      ),
    );
    const words =
      `${item.indicator} ${item.series_id} ${item.title} ${item.category}`.toLowerCase();
    const group = groups.get(item.category) ?? makeGroup(item.category);
    groups.set(item.category, group);
    group.append(row);
    return { item, box, row, words };
  });
  options.replaceChildren(...groups.values());
  filter.disabled = false;
  applyFilter();
  showChosen();
}

/** @param {string} why the list is empty */
export function emptyPicker(why) {
  rows = [];
  options.replaceChildren(make('p', { class: 'empty' }, why));
  filter.disabled = true;
  showChosen();
}

/** The catalogue items that are chosen, in the order of the list. @returns {any[]} */
export function chosenItems() {
  return rows.filter(({ box }) => box.checked).map(({ item }) => item);
}

/** @param {() => void} changed called after every change of the choice */
export function watchPicker(changed) {
  filter.addEventListener('input', applyFilter);
  // Enter in the filter would draw what is chosen so far.
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  options.addEventListener('change', () => {
    showChosen();
    changed();
  });
  chosenList.addEventListener('click', ({ target }) => {
    const name = target instanceof Element ? target.closest('button')?.value : undefined;
    const row = rows.find(({ item }) => item.indicator === name);
    if (row === undefined) return;
    row.box.checked = false;
    showChosen();
    changed();
    filter.focus();
  });
}

function applyFilter() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { row, words } of rows) row.hidden = !wanted.every((word) => words.includes(word));
  for (const group of options.children) {
    if (group instanceof HTMLElement)
      group.hidden = group.querySelector('.option:not([hidden])') === null;
  }
  options.classList.toggle('none', rows.length > 0 && rows.every(({ row }) => row.hidden));
}

function showChosen() {
  const items = chosenItems();
  const isFull = items.length >= MOST_SERIES;
  for (const { box, item } of rows)
    box.disabled = item.observation_end === undefined || (isFull && !box.checked);
  chosenList.replaceChildren(
    make(
      'span',
      { class: 'said' },
      items.length === 0
        ? `None chosen, up to ${MOST_SERIES} fit one plot.`
        : `${countOf(items.length, 'indicator')} chosen${isFull ? ', which is the most' : ''}:`,
    ),
    ...items.map((item) =>
      make(
        'button',
        { type: 'button', class: 'chip', value: item.indicator, title: nameOf(item.title) },
        item.indicator,
        make('span', { class: 'away' }, ' remove'),
        make('span', { 'aria-hidden': 'true' }, ' ×'),
      ),
    ),
  );
}

/** @param {string} category */
function makeGroup(category) {
  return make(
    'div',
    { role: 'group', 'aria-label': category },
    make('p', { class: 'category' }, category),
  );
}
