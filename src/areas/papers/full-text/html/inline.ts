import type { FootnoteDefinition, PhrasingContent, RootContent } from 'mdast';
import { isFlow } from '../sections/markdown.ts';
import { buildPhrasing, type Span, type Style, script } from './spans.ts';
import { readTex, withoutBars } from './tex.ts';
import {
  attribute,
  type Element,
  findAll,
  hasClass,
  holds,
  isBlock,
  isElement,
  isOf,
  isText,
  kindOf,
  type Node,
  rawText,
  squeeze,
} from './tree.ts';

/** State shared by the readers of a section. */
export interface ReaderState {
  notes: Notes;
  style: Style;
  /** The style to drop because the context implies it: bold in a heading, italics in a theorem. */
  ignores: Style | null;
  /** Whether inside a table cell, where TeX must not contain bars. */
  isCell: boolean;
  /** The target of the enclosing link; null outside links. */
  href: string | null;
  /** `readBlocks` from blocks.ts, passed along because importing it would be circular. */
  readBlocks(nodes: readonly Node[], state: ReaderState): RootContent[];
}

export function readPhrasing(nodes: readonly Node[], state: ReaderState): PhrasingContent[] {
  return buildPhrasing(readSpans(nodes, state));
}

/** The words of a heading, without the bold type that a heading implies. */
export function readHeading(
  { childNodes }: { childNodes: readonly Node[] },
  state: ReaderState,
): PhrasingContent[] {
  return readPhrasing(childNodes, { ...state, style: 'plain', ignores: 'strong' });
}

/** The inline content of the nodes, with line breaks around blocks. */
export function readSpans(nodes: readonly Node[], state: ReaderState): Span[] {
  return nodes.flatMap((node) => {
    if (isText(node)) return [textSpan(node.value, state)];
    if (!isElement(node)) return [];
    const spans = readElement(node, state);
    const line = lineBreak(state);
    return isBlock(node) && spans.length > 0 ? [line, ...spans, line] : spans;
  });
}

const lineBreak = ({ href }: ReaderState): Span => ({
  leaf: { type: 'break' },
  style: 'plain',
  href,
});

function textSpan(value: string, { style, href }: ReaderState): Span {
  return { leaf: { type: 'text', value }, style, href };
}

function readElement(element: Element, state: ReaderState): Span[] {
  const kind = kindOf(element);
  if (kind === 'math') return mathSpans(element, state);
  if (kind === 'note') return noteSpans(element, state);
  const inner = { ...state, style: styleOf(element, state) };
  const { childNodes, tagName } = element;
  const isCode = hasClass(element, 'ltx_font_typewriter', 'ltx_verbatim') || tagName === 'code';
  if (tagName === 'br') return [lineBreak(state)];
  if (tagName === 'sup' || tagName === 'sub') return scriptSpans(element, inner);
  if (tagName === 'a')
    return readSpans(childNodes, { ...inner, href: inner.href ?? linkOf(element) });
  if (isCode && inner.href === null && isPlain(element)) return codeSpans(element, inner);
  return readSpans(childNodes, inner);
}

function mathSpans(element: Element, { isCell, style, href }: ReaderState): Span[] {
  const tex = readTex(element);
  const value = isCell ? withoutBars(tex) : tex;
  return tex === '' ? [] : [{ leaf: { type: 'inlineMath', value }, style, href }];
}

function noteSpans(note: Element, state: ReaderState): Span[] {
  const plain: ReaderState = { ...state, style: 'plain', ignores: null, isCell: false, href: null };
  const mark = markOf(note);
  if (isMarkOnly(note)) return [textSpan(script(mark, '^'), plain)];
  const body = noteBody(note);
  const words = squeeze(body.map(rawText).join('')).trim();
  if (words === '') return [];
  const label = state.notes.add(mark, words, () => state.readBlocks(body, plain));
  return [
    { leaf: { type: 'footnoteReference', identifier: label, label }, style: 'plain', href: null },
  ];
}

function scriptSpans(element: Element, state: ReaderState): Span[] {
  if (!isPlain(element)) return readSpans(element.childNodes, state);
  const text = squeeze(rawText(element)).trim();
  const value = script(text, element.tagName === 'sup' ? '^' : '_');
  return text === '' ? [] : [textSpan(value, state)];
}

function codeSpans(element: Element, state: ReaderState): Span[] {
  const text = squeeze(rawText(element));
  const value = text.trim();
  if (!/[\p{L}\p{N}]/u.test(value)) return [textSpan(text, state)];
  const plain: ReaderState = { ...state, style: 'plain' };
  return [
    textSpan(text.startsWith(' ') ? ' ' : '', plain),
    { leaf: { type: 'inlineCode', value }, style: state.style, href: null },
    textSpan(text.endsWith(' ') ? ' ' : '', plain),
  ];
}

/** Whether an element contains no formula, note, link or line break. */
function isPlain(element: Element): boolean {
  const isOther = (child: Element) =>
    /^(?:a|br)$/.test(child.tagName) || isOf(child, 'math', 'note');
  return !holds(element, isOther);
}

/** A link's web or mail address; null if the link has none, shows it as its text, or leads into the paper. */
function linkOf(anchor: Element): string | null {
  const shown = squeeze(rawText(anchor)).trim();
  const href = (attribute(anchor, 'href') ?? '').replace(/[\s\p{Cc}\p{Cf}]/gu, '');
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(href)) return null;
  if (/^https?:\/\/(?=[^/]*(?:arxiv|ar5iv))[^/]*\/html\/[^#]*#/i.test(href)) return null;
  if (shown === href && !/[_*~[\]&<>|`$\\]/.test(href)) return null;
  return href.replaceAll('(', '%28').replaceAll(')', '%29');
}

function styleOf(element: Element, state: ReaderState): Style {
  const style = ownStyle(element) ?? state.style;
  return style === state.ignores && element.tagName !== 'em' ? 'plain' : style;
}

function ownStyle(element: Element): Style | null {
  const { tagName } = element;
  if (hasClass(element, 'ltx_markedasmath')) return null;
  if (hasClass(element, 'ltx_font_bold') || /^(?:b|strong)$/.test(tagName)) return 'strong';
  const isItalic = hasClass(element, 'ltx_font_italic', 'ltx_emph', 'ltx_font_slanted');
  if (isItalic || /^(?:em|i)$/.test(tagName)) return 'emphasis';
  return hasClass(element, 'ltx_font_upright', 'ltx_font_medium') ? 'plain' : null;
}

/** The footnotes of one section, in order of first mention. */
export class Notes {
  readonly #labels = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly definitions: FootnoteDefinition[] = [];

  /** Adds a note and returns its label; repeated marks with the same words share a note. */
  add(mark: string, words: string, children: () => RootContent[]): string {
    const existing = this.#labels.get(`${mark} ${words}`);
    if (existing !== undefined) return existing;
    const label = this.#freeLabel(mark);
    this.#labels.set(`${mark} ${words}`, label);
    this.#used.add(label);
    const definition: FootnoteDefinition = {
      type: 'footnoteDefinition',
      identifier: label,
      label,
      children: [],
    };
    // Add the note before reading its content, so that nested notes come after it.
    this.definitions.push(definition);
    definition.children = children().filter(isFlow);
    return label;
  }

  #freeLabel(mark: string): string {
    const base = /^[a-z0-9]{1,8}$/i.test(mark) ? mark.toLowerCase() : 'note';
    let label = base;
    for (let k = 2; this.#used.has(label); k += 1) label = `${base}-${k}`;
    return label;
  }
}

/** Whether a note is only a mark whose text is elsewhere. */
export function isMarkOnly(element: Element): boolean {
  return hasClass(element, 'ltx_role_footnotemark');
}

function markOf(note: Element): string {
  const [mark] = findAll(note, (element) => hasClass(element, 'ltx_note_mark', 'ltx_tag_note'));
  return mark === undefined ? '' : squeeze(rawText(mark)).trim();
}

/** The content of a note, without its mark. */
export function noteBody(note: Element): Element['childNodes'] {
  const [content = note] = findAll(note, (element) => hasClass(element, 'ltx_note_content'));
  return content.childNodes.filter(
    (node) =>
      !isElement(node) ||
      !hasClass(node, 'ltx_note_mark', 'ltx_tag_note', 'ltx_note_type', 'ltx_note_outer'),
  );
}
