import type { FootnoteReference, InlineCode, PhrasingContent } from 'mdast';
import type { InlineMath } from 'mdast-util-math';
import { squeeze } from './tree.ts';

export type Style = 'plain' | 'strong' | 'emphasis';

type Leaf =
  | { type: 'text'; value: string }
  | { type: 'break' }
  | InlineCode
  | InlineMath
  | FootnoteReference;

/** A piece of inline content with one style and one link target. */
export interface Span {
  leaf: Leaf;
  style: Style;
  href: string | null;
}

/** Builds phrasing nodes: collapses white space, and drops styles that Markdown cannot express. */
export function buildPhrasing(spans: readonly Span[]): PhrasingContent[] {
  return groupBy(tidyBlanks(spans), (span) => span.href ?? '').flatMap(
    (group): PhrasingContent[] => {
      const href = group[0]?.href ?? null;
      const children = styled(group);
      if (href === null || children.length === 0) return children;
      return [{ type: 'link', url: href, children }];
    },
  );
}

function groupBy(spans: readonly Span[], keyOf: (span: Span) => string): Span[][] {
  const groups: Span[][] = [];
  let last: string | null = null;
  for (const span of spans) {
    const key = keyOf(span);
    if (key === last) groups.at(-1)?.push(span);
    else groups.push([span]);
    last = key;
  }
  return groups;
}

/** Collapses white space, drops it at the ends and at line breaks, and moves it out of styles. */
function tidyBlanks(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  // Hold white space back until content follows; a line break replaces other white space.
  let gap: Span | null = null;
  for (const span of spans.flatMap(splitBlanks)) {
    const { leaf } = span;
    if (leaf.type === 'break') gap = span;
    else if (leaf.type === 'text' && leaf.value === ' ') gap ??= span;
    else {
      const previous = kept.at(-1);
      // Markdown does not close a formula directly before a digit or another dollar sign.
      const isOpen = previous?.leaf.type === 'inlineMath' && /[\d$]/.test(edgesOf(span)[0]);
      if (isOpen) gap ??= { ...previous, leaf: { type: 'text', value: ' ' } };
      if (previous !== undefined && gap !== null) kept.push(between(previous, span, gap));
      kept.push(span);
      gap = null;
    }
  }
  return mergeText(kept);
}

/** Splits white space at the ends of a text into separate spans. */
function splitBlanks(span: Span): Span[] {
  if (span.leaf.type !== 'text') return [span];
  const values = squeeze(span.leaf.value).split(/(^ | $)/);
  return values
    .filter((value) => value !== '')
    .map((value) => ({ ...span, leaf: { type: 'text', value } }));
}

/** White space takes the style and link of its neighbours if they agree. */
function between(left: Span, right: Span, { leaf, style }: Span): Span {
  const isInside = left.style === right.style && (leaf.type === 'break' || style === left.style);
  return {
    leaf,
    style: isInside ? left.style : 'plain',
    href: left.href === right.href ? left.href : null,
  };
}

function mergeText(spans: readonly Span[]): Span[] {
  const isText = (span: Span) => span.leaf.type === 'text';
  return groupBy(spans, (span) => `${isText(span)} ${span.style} ${span.href ?? ''}`).flatMap(
    (group) => {
      const first = group[0];
      if (first === undefined || !isText(first)) return group;
      const value = group.map(({ leaf }) => (leaf.type === 'text' ? leaf.value : '')).join('');
      return [{ ...first, leaf: { type: 'text', value } }];
    },
  );
}

/** The first and last character of a span in Markdown; spaces for a line break or a missing span. */
function edgesOf(span: Span | undefined): [string, string] {
  const leaf = span?.leaf;
  if (leaf === undefined || leaf.type === 'break') return [' ', ' '];
  if (leaf.type === 'text') return [leaf.value.at(0) ?? ' ', leaf.value.at(-1) ?? ' '];
  return leaf.type === 'inlineMath' ? ['$', '$'] : ['`', '`'];
}

const WORD = /[^\s\p{P}\p{S}]/u;

/** Whether a leaf may be emphasised; bare punctuation may not. */
function isWord(leaf: Leaf): boolean {
  return leaf.type !== 'text' || /[\p{L}\p{N}]/u.test(leaf.value);
}

/** Wraps spans of one style, unless Markdown would not recognise the asterisks there. */
function styled(spans: readonly Span[]): PhrasingContent[] {
  const groups = groupBy(spans, (span) => span.style);
  const nodes: PhrasingContent[] = [];
  let isAfterStyle = false;
  groups.forEach((group, k) => {
    const style = group[0]?.style ?? 'plain';
    const leaves = group.map((span) => span.leaf);
    const [first] = edgesOf(group[0]);
    const [, last] = edgesOf(group.at(-1));
    const [, before] = edgesOf(groups[k - 1]?.at(-1));
    const [after] = edgesOf(groups[k + 1]?.[0]);
    const opens = () => WORD.test(first) || !WORD.test(before);
    const closes = () => WORD.test(last) || !WORD.test(after);
    const isSeen = !isAfterStyle && style !== 'plain' && opens() && closes() && leaves.some(isWord);
    isAfterStyle = isSeen;
    if (isSeen) nodes.push({ type: style, children: leaves });
    else for (const leaf of leaves) nodes.push(leaf);
  });
  return nodes;
}

const PLAIN = '0123456789+-';
const SHIFTED = { '^': '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻', _: '₀₁₂₃₄₅₆₇₈₉₊₋' };

/** A super- or subscript as text: Unicode digits, superscript ordinals and symbols as is, else "^x" or "_x". */
export function script(text: string, sign: '^' | '_'): string {
  if (/^[+-]?\d+$/.test(text)) {
    return [...text].map((char) => SHIFTED[sign][PLAIN.indexOf(char)]).join('');
  }
  if (sign === '^' && /^(?:st|nd|rd|th|[\p{S}\p{P}\p{No}]+)$/u.test(text)) return text;
  return /^[\p{L}\p{N}]+$/u.test(text) ? `${sign}${text}` : `${sign}(${text})`;
}
