// Everything from the server is inserted as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @typedef {Record<string, string | number | boolean | undefined>} Attributes
 * @typedef {Node | string} Child
 */

/**
 * A new HTML element. `true` sets an attribute without a value; `false` and undefined leave it out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes, children);
  return element;
}

/**
 * A new SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  dress(element, attributes, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 */
function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
}

/**
 * Text whose words between backticks become code.
 * @param {string} text
 * @returns {Child[]}
 */
export function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part));
}

/**
 * The element with an id, which index.html must contain.
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function find(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} "${id}"`);
  return element;
}

/**
 * A link to another site, or the words alone where the address is none that a browser should open.
 * @param {string} words
 * @param {unknown} address from upstream
 */
export function linkTo(words, address) {
  const url = URL.canParse(String(address)) ? new URL(String(address)) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return make('span', {}, words);
  return make('a', { href: url.href, rel: 'noopener noreferrer', target: '_blank' }, words);
}
