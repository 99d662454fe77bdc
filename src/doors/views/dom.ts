import { countOf } from '../../core/text.ts';
import { formatDate } from './format.ts';
import type { Meta } from './tool-reply.ts';

// Everything from the server is inserted as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
/** Content of an element; `false`, null and undefined add nothing. */
export type Content = Node | string | false | null | undefined | readonly Content[];

/** Creates an HTML element. `true` sets an attribute without a value; `false` and undefined omit it. */
export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...content: readonly Content[]
) {
  return dressed(document.createElement(tag), attributes, content);
}

export function makeSvg<T extends keyof SVGElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...content: readonly Content[]
) {
  return dressed(document.createElementNS(SVG, tag), attributes, content);
}

function dressed<T extends Element>(element: T, attributes: Attributes, content: Content): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...nodesOf(content));
  return element;
}

export function nodesOf(content: Content): (Node | string)[] {
  if (!content) return [];
  return typeof content === 'string' || content instanceof Node
    ? [content]
    : content.flatMap(nodesOf);
}

/** Turns text between backticks into code. */
export function prose(text: string): Content {
  return text.split('`').map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part));
}

/** Throws if the document lacks the element. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the document has no ${type.name} "${id}"`);
  return element;
}

/** Normalises an http(s) address from upstream; undefined for any other text. */
export function webAddress(text: unknown): string | undefined {
  const url = URL.canParse(String(text)) ? new URL(String(text)) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}

export function fold(summary: string, ...content: readonly Content[]): HTMLDetailsElement {
  return make('details', {}, make('summary', {}, summary), content);
}

/** A scrolling region, focusable so that the keyboard can scroll it. */
export function scroller(name: string, label: string, ...content: readonly Content[]): HTMLElement {
  const attributes = { class: name, tabindex: 0, role: 'region', 'aria-label': label };
  return make('div', attributes, content);
}

export function remarks(...sentences: readonly (string | false | undefined)[]): Content {
  const said = sentences.filter(Boolean);
  return said.length > 0 && make('p', { class: 'remark' }, said.join(' '));
}

/** States the day of the last refresh. */
export function ageOf({ asOf }: Meta): string {
  return asOf === undefined ? '' : `As of ${formatDate(asOf)}`;
}

/** A short, highlighted label. */
export function mark(text: string, kind: 'warn' | 'good' | '' = ''): Content {
  return [' ', make('span', { class: `mark ${kind}`.trim() }, text)];
}

export function actions(...buttons: readonly Content[]): Content {
  const nodes = nodesOf(buttons);
  return nodes.length > 0 && make('p', { class: 'actions' }, nodes);
}

/** Hides elements and returns a button that shows or hides them; nothing if there are no elements. */
export function foldButton(rest: readonly HTMLElement[], noun: string): Content {
  const set = (isOpen: boolean) => {
    for (const element of rest) element.hidden = !isOpen;
    button.textContent = `Show ${isOpen ? `fewer ${noun}s` : countOf(rest.length, `more ${noun}`)}`;
    button.setAttribute('aria-expanded', String(isOpen));
  };
  const button = plainButton('', () => set(button.getAttribute('aria-expanded') !== 'true'));
  set(false);
  return rest.length > 0 && button;
}

/** A button that copies text, and its status. Hosts that block the Clipboard API may allow the copy command. */
export function copyButton(label: string, textOf: () => string): Content {
  const status = make('span', { role: 'status' });
  const copy = async () => {
    const hear = (event: ClipboardEvent) => {
      event.preventDefault();
      event.clipboardData?.setData('text/plain', textOf());
    };
    const copyAsKeys = () => {
      document.addEventListener('copy', hear, { once: true });
      const isCopied = document.execCommand('copy');
      document.removeEventListener('copy', hear);
      return isCopied;
    };
    // Rejects over plain HTTP, where `navigator.clipboard` is undefined.
    const write = async () => navigator.clipboard.writeText(textOf());
    const isCopied = await write().then(() => true, copyAsKeys);
    status.textContent = isCopied ? 'Copied.' : 'Copying is not allowed here.';
  };
  return [plainButton(label, () => void copy()), status];
}

export function plainButton(label: string, onClick: () => void, title?: string): HTMLButtonElement {
  const button = make('button', { type: 'button', title }, label);
  button.addEventListener('click', onClick);
  return button;
}

export function tableOf(
  attributes: Attributes,
  caption: HTMLElement,
  heads: readonly { name: string; kind?: string }[],
  rows: readonly HTMLTableRowElement[],
): HTMLTableElement {
  const names = heads.map(({ name, kind }) => make('th', { scope: 'col', class: kind }, name));
  const head = make('thead', {}, make('tr', {}, names));
  return make('table', attributes, caption, head, make('tbody', {}, rows));
}
