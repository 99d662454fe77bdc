// Everything from the server is inserted as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Child = Node | string;

/** A new HTML element. `true` sets an attribute without a value; `false` and undefined leave it out. */
export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  dress(element, attributes, children);
  return element;
}

/** A new SVG element. */
export function makeSvg<T extends keyof SVGElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[T] {
  const element = document.createElementNS(SVG, tag);
  dress(element, attributes, children);
  return element;
}

function dress(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
}

/** Text whose words between backticks become code. */
export function prose(text: string): Child[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part));
}

/** The element with an id, which the document must contain. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the document has no ${type.name} "${id}"`);
  return element;
}

/** An address from upstream that a browser may open; undefined for any other text. */
export function webAddress(text: unknown): string | undefined {
  const url = URL.canParse(String(text)) ? new URL(String(text)) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}
