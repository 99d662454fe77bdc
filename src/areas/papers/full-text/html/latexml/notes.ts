import type { FootnoteDefinition, RootContent } from 'mdast';
import { isFlow } from '../../markdown.ts';
import { type Element, findFirst, hasClass, rawText, squeeze } from '../tree.ts';

/** The footnotes of one section, in order of first mention. */
export class Notes {
  readonly #labels = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly definitions: FootnoteDefinition[] = [];

  /** Returns the note's label; a repeated mark with the same words is one note. */
  add(mark: string, words: string, children: () => RootContent[]): string {
    const known = this.#labels.get(`${mark} ${words}`);
    if (known !== undefined) return known;
    const label = this.#freeLabel(mark);
    this.#labels.set(`${mark} ${words}`, label);
    this.#used.add(label);
    const definition: FootnoteDefinition = {
      type: 'footnoteDefinition',
      identifier: label,
      label,
      children: [],
    };
    // Added before its content is read, so that a nested note comes after it.
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

export function isNote(element: Element): boolean {
  return hasClass(element, 'ltx_note');
}

/** Whether a note is only a mark whose text is elsewhere. */
export function isMarkOnly(element: Element): boolean {
  return hasClass(element, 'ltx_role_footnotemark');
}

/** The mark of a note as shown in the text. */
export function markOf(note: Element): string {
  const mark = findFirst(note, (element) => hasClass(element, 'ltx_note_mark', 'ltx_tag_note'));
  return mark === null ? '' : squeeze(rawText(mark)).trim();
}

/** The content of a note without its mark. */
export function noteBody(note: Element): Element['childNodes'] {
  const content = findFirst(note, (element) => hasClass(element, 'ltx_note_content'));
  return (content ?? note).childNodes.filter(
    (node) =>
      !('tagName' in node) ||
      !hasClass(node, 'ltx_note_mark', 'ltx_tag_note', 'ltx_note_type', 'ltx_note_outer'),
  );
}
