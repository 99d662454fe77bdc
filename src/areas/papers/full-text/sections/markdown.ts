import type { ListItem, Nodes, Paragraph, PhrasingContent, Root, RootContent, Text } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Options, toMarkdown, type Unsafe } from 'mdast-util-to-markdown';

const FLOW = ['blockquote', 'code', 'heading', 'list', 'math', 'paragraph', 'table'] as const;
type Flow = Extract<RootContent, { type: (typeof FLOW)[number] }>;

export function plainParagraph(value: string): Paragraph {
  return { type: 'paragraph', children: [{ type: 'text', value }] };
}

export function plainItem(value: string): ListItem {
  return { type: 'listItem', spread: false, children: [plainParagraph(value)] };
}

/** A paragraph of these children; empty if there are none. */
export function paragraphOf(children: PhrasingContent[]): Paragraph[] {
  return children.length === 0 ? [] : [{ type: 'paragraph', children }];
}

/** Whether a block may appear in a list, a quotation or a footnote. */
export function isFlow(node: RootContent): node is Flow {
  return FLOW.some((type) => type === node.type);
}

/**
 * Characters that the library escapes everywhere although they matter only in the positions in
 * NARROWER. We write no link definitions or strikethrough, and leave URLs unchanged.
 */
const REPLACED = new Set(['[', '_', '*', '~', '@', '.', ':', '&']);

const LETTER = 'A-Za-z0-9\\u00c0-\\u024f';

const NARROWER: readonly Unsafe[] = [
  // Footnotes, tasks, definitions and labels. In text like a link, the library escapes the "(" after "]".
  { character: '[', after: '\\^', inConstruct: 'phrasing' },
  { atBreak: true, character: '[', after: '(?:[xX \\t\\n]\\]|[^\\]]*\\]:)' },
  { character: '[', inConstruct: ['label', 'reference'] },
  // An underscore after a letter or digit cannot open emphasis, and we write none that it could close.
  { character: '_', before: `(?<![${LETTER}])`, inConstruct: 'phrasing' },
  // An asterisk between spaces is literal.
  { character: '*', before: '(?<!\\s)', inConstruct: 'phrasing' },
  { character: '*', after: '(?!\\s)', inConstruct: 'phrasing' },
  { atBreak: true, character: '*' },
  { character: '~', after: '~', inConstruct: 'phrasing' },
  { character: '~', before: '~', inConstruct: 'phrasing' },
  { character: '~', before: '(?<!\\S)', inConstruct: 'phrasing' },
  { character: '~', after: '\\S[^~]*~', inConstruct: 'phrasing' },
  { atBreak: true, before: '\\d+', character: '.', after: '(?:[ \\t\\r\\n]|$)' },
  { atBreak: true, character: ':', after: '-' },
  { character: '&', after: '[#A-Za-z][A-Za-z0-9]{0,40};', inConstruct: 'phrasing' },
];

const options: Options = {
  bullet: '-',
  emphasis: '*',
  strong: '*',
  fence: '`',
  fences: true,
  listItemIndent: 'one',
  resourceLink: true,
  rule: '-',
  extensions: [
    gfmToMarkdown({ tablePipeAlign: false }),
    mathToMarkdown({ singleDollarTextMath: true }),
  ],
  handlers: {
    root(node: Root, _: unknown, state, info) {
      const kept = state.unsafe.filter((pattern) => !REPLACED.has(pattern.character));
      state.unsafe = [...kept, ...NARROWER];
      return state.containerFlow(node, info);
    },
    // Split long texts: the library takes quadratic time in the number of characters to escape.
    text(node: Text, _parent: unknown, state, info) {
      const pieces = node.value.match(/[\s\S]{1,5000}/gu) ?? [];
      return pieces
        .map((piece, at) => {
          const before = pieces[at - 1]?.at(-1) ?? info.before;
          return state.safe(piece, { ...info, before, after: pieces[at + 1]?.at(0) ?? info.after });
        })
        .join('');
    },
    break(_node: Nodes, _parent: unknown, state) {
      const isOneLine = state.stack.includes('tableCell') || state.stack.includes('headingAtx');
      return isOneLine ? ' ' : '  \n';
    },
  },
};

/** Writes blocks as GFM, with formulas between dollar signs. */
export function writeMarkdown(children: readonly RootContent[]): string {
  return toMarkdown({ type: 'root', children: [...children] }, options).trim();
}
