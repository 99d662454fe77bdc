import { countOf } from '../../core/text.ts';
import type { Meta } from './answer.ts';
import { formatDate } from './format.ts';

// Everything from the server is inserted as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Child = Node | string;

/** Creates an HTML element. `true` sets an attribute without a value; `false` and undefined omit it. */
export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  dress(element, attributes, children);
  return element;
}

/** Creates an SVG element. */
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

/** Turns words between backticks into code. */
export function prose(text: string): Child[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part));
}

/** Throws if the document lacks the element. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the document has no ${type.name} "${id}"`);
  return element;
}

/** Normalizes an http(s) address from upstream; undefined for any other text. */
export function webAddress(text: unknown): string | undefined {
  const url = URL.canParse(String(text)) ? new URL(String(text)) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}

export function fold(summary: Child, ...content: Child[]): HTMLDetailsElement {
  return make('details', {}, make('summary', {}, summary), ...content);
}

export function remarks(sentences: readonly string[]): Child[] {
  return sentences.length === 0 ? [] : [make('p', { class: 'remark' }, sentences.join(' '))];
}

/** The day of the last refresh. */
export function ageOf({ asOf }: Meta): string {
  return asOf === undefined ? '' : `As of ${formatDate(asOf)}`;
}

/** A short label that stands out. */
export function mark(text: string, kind: 'warn' | 'good' | '' = ''): HTMLElement {
  return make('span', { class: `mark ${kind}`.trim() }, text);
}

export function actions(children: readonly Child[]): Child[] {
  return children.length === 0 ? [] : [make('p', { class: 'actions' }, ...children)];
}

/** Hides elements and returns a button that shows them; no button for no elements. */
export function foldButton(rest: readonly HTMLElement[], noun: string): HTMLElement[] {
  if (rest.length === 0) return [];
  const set = (isOpen: boolean) => {
    for (const element of rest) element.hidden = !isOpen;
    button.textContent = `Show ${isOpen ? `fewer ${noun}s` : countOf(rest.length, `more ${noun}`)}`;
    button.setAttribute('aria-expanded', String(isOpen));
  };
  const button = plainButton('', () => set(button.getAttribute('aria-expanded') !== 'true'));
  set(false);
  return [button];
}

/** Buttons, at most one of which is pressed. */
export function choice(
  label: string,
  options: readonly { label: string; title: string }[],
  onChoose: (label: string) => void,
): { parts: Child[]; press(label: string): void } {
  const buttons = options.map((option) => {
    const button = plainButton(option.label, () => onChoose(option.label));
    button.title = option.title;
    return button;
  });
  const group = make('div', { class: 'choice', role: 'group', 'aria-label': label }, ...buttons);
  return {
    parts: options.length === 0 ? [] : [group],
    press(pressed) {
      for (const button of buttons) button.ariaPressed = String(button.textContent === pressed);
    },
  };
}

/** A button that copies a text, and its status. Hosts that bar the clipboard may allow the copy command. */
export function copyButton(label: string, textOf: () => string): HTMLElement[] {
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
    // Over plain HTTP there is no clipboard, so this throws.
    const write = async () => navigator.clipboard.writeText(textOf());
    const isCopied = await write().then(() => true, copyAsKeys);
    status.textContent = isCopied ? 'Copied.' : 'The host does not let this view copy.';
  };
  return [plainButton(label, () => void copy()), status];
}

/** A button that calls no tool. */
export function plainButton(label: string, onClick: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button' }, label);
  button.addEventListener('click', onClick);
  return button;
}
