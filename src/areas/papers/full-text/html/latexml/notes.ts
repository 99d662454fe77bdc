import type { FootnoteDefinition, RootContent } from 'mdast';
import { isFlow } from '../../markdown.ts';
import { type Element, findFirst, hasClass, rawText, squeeze } from '../tree.ts';

/** The footnotes of one section, in the order of their first mention. */
export class Notes {
  readonly #labels = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly definitions: FootnoteDefinition[] = [];

  /** The label under which the note is kept; the same mark with the same words is one note. */
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
    // Held before its content is read: a note within the note comes after it.
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

/** Notes that repeat what stands about the authors. */
const FRONT = [
  'ltx_note_frontmatter',
  'ltx_role_institutetext',
  'ltx_role_address',
  'ltx_role_affiliation',
  'ltx_role_email',
];

export function isNote(element: Element): boolean {
  return hasClass(element, 'ltx_note');
}

export function isFrontNote(element: Element): boolean {
  return hasClass(element, ...FRONT);
}

/** A mark whose text stands elsewhere. */
export function isMarkOnly(element: Element): boolean {
  return hasClass(element, 'ltx_role_footnotemark');
}

/** The mark of a note as it shows in the text. */
export function markOf(note: Element): string {
  const mark = findFirst(note, (element) => hasClass(element, 'ltx_note_mark', 'ltx_tag_note'));
  return mark === null ? '' : squeeze(rawText(mark)).trim();
}

/** What the note says: its content without its mark. */
export function noteBody(note: Element): Element['childNodes'] {
  const content = findFirst(note, (element) => hasClass(element, 'ltx_note_content'));
  return (content ?? note).childNodes.filter(
    (node) =>
      !('tagName' in node) ||
      !hasClass(node, 'ltx_note_mark', 'ltx_tag_note', 'ltx_note_type', 'ltx_note_outer'),
  );
}
