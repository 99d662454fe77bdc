import type { RootContent } from 'mdast';
import type { Math as MathBlock } from 'mdast-util-math';
import { paragraphOf } from '../sections/markdown.ts';
import { type ReaderState, readPhrasing } from './inline.ts';
import { escapeText, readTex } from './tex.ts';
import {
  attribute,
  childElements,
  type Element,
  findAll,
  hasClass,
  holds,
  isElement,
  isOf,
  isText,
  type Node,
  spanOf,
  squeeze,
} from './tree.ts';

interface Row {
  element: Element;
  /** The TeX of each table cell. */
  cells: string[];
  /** The equation number as a `\tag`; null if there is none. */
  tag: string | null;
  /** Number of rows that the equation number spans. */
  height: number;
  hasMath: boolean;
}

/** A displayed equation or group: one block, or one per equation number; rows of text become paragraphs. */
export function readEquation(element: Element, state: ReaderState): RootContent[] {
  const elements = findAll(element, (child) => child.tagName === 'tr');
  const rows = (elements.length > 0 ? elements : [element]).map(readRow);
  const numbered = rows.filter((row) => row.tag !== null).length;
  const isPaired = hasClass(element, 'ltx_eqn_align');
  const blocks: RootContent[] = [];
  let open: Row[] = [];
  let rest = 0;
  const close = () => {
    blocks.push(...writeRows(open, isPaired));
    open = [];
  };
  for (const row of rows) {
    if (!row.hasMath) {
      close();
      const nodes = cellsOf(row.element).flatMap(contentOf);
      blocks.push(...paragraphOf(readPhrasing(nodes, state)));
      continue;
    }
    if (numbered > 1 && rest <= 0) close();
    if (row.tag !== null) rest = row.height;
    open.push(row);
    rest -= 1;
  }
  close();
  return blocks;
}

function readRow(element: Element): Row {
  const [number] = findAll(element, isNumber);
  const holder = childElements(element).find((cell) => isNumber(cell) || holds(cell, isNumber));
  return {
    element,
    cells: cellsOf(element).map((cell) => texOf(contentOf(cell))),
    tag: number === undefined ? null : tagOf(number),
    height: holder === undefined ? 1 : spanOf(holder, 'rowspan'),
    hasMath: holds(element, isMath),
  };
}

const isMath = (node: Node) => isOf(node, 'math');

function isNumber(element: Element): boolean {
  return hasClass(element, 'ltx_tag_equation', 'ltx_tag_equationgroup');
}

/** The cells with content; for an equation without a table, the element itself. */
function cellsOf(row: Element): Element[] {
  const cells = childElements(row).filter((cell) => /^t[dh]$/.test(cell.tagName));
  if (cells.length === 0) return [row];
  return cells.filter(
    (cell) =>
      !/_pad(?:left|right)/.test(attribute(cell, 'class') ?? '') &&
      !hasClass(cell, 'ltx_eqn_eqno') &&
      (!holds(cell, isNumber) || holds(cell, isMath)),
  );
}

function contentOf(cell: Element): Node[] {
  return cell.childNodes.filter((node) => !isElement(node) || !isNumber(node));
}

function texOf(nodes: readonly Node[]): string {
  const parts = nodes.map((node) => {
    if (isText(node)) {
      const words = squeeze(node.value);
      return words.trim() === '' ? '' : `\\text{${escapeText(words)}}`;
    }
    if (!isElement(node)) return '';
    return isMath(node) ? readTex(node) : texOf(contentOf(node));
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** An equation number as a `\tag`, without its parentheses, which `\tag` adds itself. */
function tagOf(number: Element): string | null {
  const words = squeeze(tagText(number)).trim();
  if (words === '') return null;
  const inner = /^\((.*)\)$/.exec(words)?.[1];
  return inner === undefined ? `\\tag*{${words}}` : `\\tag{${inner}}`;
}

/** The content of a `\tag`, which is text: formulas get delimiters. */
function tagText(node: Node): string {
  if (isText(node)) return escapeText(node.value);
  if (!isElement(node)) return '';
  if (!isMath(node)) return node.childNodes.map(tagText).join('');
  const tex = readTex(node);
  return /[\\^_]/.test(tex) ? `\\(${tex}\\)` : tex;
}

function writeRows(rows: readonly Row[], isPaired: boolean): MathBlock[] {
  const isFilled = (cell: string) => cell !== '';
  const lines = rows
    .map(({ cells }) => cells.slice(0, cells.findLastIndex(isFilled) + 1))
    .filter((cells) => cells.length > 0);
  const tags = rows.flatMap((row) => row.tag ?? []);
  const [first] = lines;
  if (first === undefined) return [];
  const skip = lines.reduce((least, cells) => Math.min(least, cells.findIndex(isFilled)), Infinity);
  if (lines.length === 1) {
    // A single row needs no alignment; in an `align`, every second cell ends an equation.
    const isNext = (k: number) => isPaired && k > skip && k % 2 === 0;
    const cells = first.map((cell, k) => (isFilled(cell) && isNext(k) ? `\\qquad ${cell}` : cell));
    return [{ type: 'math', value: [...cells.filter(isFilled), ...tags].join(' ') }];
  }
  const body = lines.map((cells) => cells.slice(skip).join(' & ').replace(/ {2,}/g, ' ').trim());
  const value = ['\\begin{aligned}', body.join(' \\\\\n'), '\\end{aligned}', ...tags];
  return [{ type: 'math', value: value.join('\n') }];
}
