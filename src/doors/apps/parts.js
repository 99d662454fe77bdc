import { make, prose } from '../page/dom.js';
import { countOf, formatDate } from '../page/format.js';

/** @typedef {import('../page/dom.js').Child} Child */

/** Rows that a table begins with, and gains at a time: a browser takes seconds for thousands. */
const ROWS = 250;

/**
 * A table that is built when it is first opened.
 * @template T
 * @param {string} summary
 * @param {string} caption
 * @param {readonly string[]} head
 * @param {readonly T[]} items one for each row
 * @param {(item: T) => readonly string[]} cellsOf the heading of a row and its cells
 */
export function foldedTable(summary, caption, head, items, cellsOf) {
  const place = make('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': `${caption} as a table`,
  });
  const details = make('details', {}, make('summary', {}, summary), place);
  const fill = () => {
    const rest = [...items];
    const body = make('tbody');
    const columns = head.map((name) => make('th', { scope: 'col' }, name));
    const more = plainButton('', () => add());
    const add = () => {
      body.append(...rest.splice(0, ROWS).map((item) => rowOf(cellsOf(item))));
      more.textContent = `Show the next ${Math.min(ROWS, rest.length)} of ${countOf(rest.length, 'row')}`;
      if (rest.length === 0) more.remove();
    };
    place.append(
      make(
        'table',
        {},
        make('caption', {}, caption),
        make('thead', {}, make('tr', {}, ...columns)),
        body,
      ),
      more,
    );
    add();
  };
  details.addEventListener('toggle', fill, { once: true });
  return details;
}

/** @param {readonly string[]} cells */
function rowOf([heading = '', ...cells]) {
  return make(
    'tr',
    {},
    make('th', { scope: 'row' }, heading),
    ...cells.map((cell) => make('td', {}, cell)),
  );
}

/**
 * What the server wants said with the answer.
 * @param {import('./envelope.js').Meta} meta
 * @returns {Child[]}
 */
export function noticeOf({ notice }) {
  if (notice === undefined) return [];
  const parts = notice.split(/(\d{4}-\d{2}-\d{2})/);
  const words = parts.flatMap((part, index) =>
    index % 2 === 1 ? [make('span', { class: 'day' }, part)] : prose(part),
  );
  return [make('p', { class: 'notice' }, ...words)];
}

/**
 * @param {import('./envelope.js').Meta} meta
 * @returns {string} when what is shown was last refreshed
 */
export function ageOf({ asOf }) {
  return asOf === undefined ? '' : `As of ${formatDate(asOf)}`;
}

/**
 * A short word that stands out.
 * @param {string} text
 * @param {'warn' | 'good' | ''} kind
 */
export function mark(text, kind) {
  return make('span', { class: `mark ${kind}`.trim() }, text);
}

/** @param {readonly Child[]} children nothing is shown for none */
export function actions(children) {
  return children.length === 0 ? [] : [make('p', { class: 'actions' }, ...children)];
}

/**
 * Hides the elements beyond the first, and returns a button that shows them; none where there are no
 * more.
 * @param {readonly HTMLElement[]} elements
 * @param {number} most
 * @param {string} noun what one of them is
 * @returns {Child[]}
 */
export function foldButton(elements, most, noun) {
  const rest = elements.slice(most);
  if (rest.length === 0) return [];
  const button = plainButton('', () => set(button.getAttribute('aria-expanded') !== 'true'));
  /** @param {boolean} isOpen */
  const set = (isOpen) => {
    for (const element of rest) element.hidden = !isOpen;
    button.textContent = `Show ${isOpen ? `fewer ${noun}s` : countOf(rest.length, `more ${noun}`)}`;
    button.setAttribute('aria-expanded', String(isOpen));
  };
  set(false);
  return [button];
}

/**
 * A button that calls no tool.
 * @param {string} label
 * @param {() => void} onClick
 */
export function plainButton(label, onClick) {
  const button = make('button', { type: 'button' }, label);
  button.addEventListener('click', onClick);
  return button;
}
