import type { RootContent } from 'mdast';
import type { Math as MathBlock } from 'mdast-util-math';
import { paragraphOf } from '../sections/markdown.ts';
import { type Context, readPhrasing } from './inline.ts';
import { readTex, textInTex } from './tex.ts';
import {
  attribute,
  childElements,
  type Element,
  findAll,
  findFirst,
  hasClass,
  isElement,
  isMath,
  isText,
  type Node,
  spanOf,
  squeeze,
} from './tree.ts';

export function isEquation(element: Element): boolean {
  return (
    hasClass(element, 'ltx_equation', 'ltx_equationgroup', 'ltx_displaymath') ||
    (element.tagName === 'table' && hasClass(element, 'ltx_eqn_table'))
  );
}

/** A row of an equation group: cells as TeX, number as a \tag, and how many rows the number spans. */
interface Row {
  element: Element;
  cells: string[];
  tag: string | null;
  height: number;
  hasMath: boolean;
}

/**
 * A displayed equation or equation group. Rows that share a number form one block; rows with numbers
 * of their own form one each; rows with only text become paragraphs in between.
 */
export function readEquation(element: Element, context: Context): RootContent[] {
  const rows = rowsOf(element).map(readRow);
  const numbered = rows.filter((row) => row.tag !== null).length;
  const blocks: RootContent[] = [];
  let open: Row[] = [];
  let rest = 0;
  const isPaired = hasClass(element, 'ltx_eqn_align');
  const close = () => {
    blocks.push(...writeRows(open, isPaired));
    open = [];
  };
  for (const row of rows) {
    if (!row.hasMath) {
      close();
      const nodes = cellsOf(row.element).flatMap(contentOf);
      blocks.push(...paragraphOf(readPhrasing(nodes, context)));
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

function rowsOf(element: Element): Element[] {
  const rows = findAll(element, (child) => child.tagName === 'tr');
  if (rows.length > 0) return rows;
  const equations = findAll(element, (child) => hasClass(child, 'ltx_equation'));
  return equations.length > 0 ? equations : [element];
}

function readRow(element: Element): Row {
  const number = findFirst(element, isNumber);
  const holder = childElements(element).find((cell) => isNumber(cell) || holdsNumber(cell));
  return {
    element,
    cells: cellsOf(element).map((cell) => texOf(contentOf(cell))),
    tag: number && tagOf(number),
    height: holder === undefined ? 1 : spanOf(holder, 'rowspan'),
    hasMath: findFirst(element, isMath) !== null,
  };
}

function isNumber(element: Element): boolean {
  return hasClass(element, 'ltx_tag_equation', 'ltx_tag_equationgroup');
}

function holdsNumber(element: Element): boolean {
  return findFirst(element, isNumber) !== null;
}

const PADDING = /(?:^|\s)ltx_eqn_(?:center|left|right)_pad(?:left|right)(?:\s|$)/;

/** The cells with content; for an equation without a table, the element itself. */
function cellsOf(row: Element): Element[] {
  const cells = childElements(row).filter((cell) => /^t[dh]$/.test(cell.tagName));
  if (cells.length === 0) return [row];
  return cells.filter(
    (cell) =>
      !PADDING.test(attribute(cell, 'class') ?? '') &&
      !hasClass(cell, 'ltx_eqn_eqno') &&
      (!holdsNumber(cell) || findFirst(cell, isMath) !== null),
  );
}

function contentOf(cell: Element): Node[] {
  return cell.childNodes.filter((node) => !isElement(node) || !isNumber(node));
}

/** Formulas and text of a cell as one line of TeX. */
function texOf(nodes: readonly Node[]): string {
  const parts = nodes.map((node) => {
    if (isText(node)) {
      const words = squeeze(node.value);
      return words.trim() === '' ? '' : textInTex(words);
    }
    if (!isElement(node) || isNumber(node)) return '';
    return isMath(node) ? readTex(node) : texOf(node.childNodes);
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** The number as a \tag, without its parentheses, which \tag adds itself. */
function tagOf(number: Element): string | null {
  const words = squeeze(wordsOf(number)).trim();
  if (words === '') return null;
  const inner = /^\((.*)\)$/.exec(words)?.[1];
  return inner === undefined ? `\\tag*{${words}}` : `\\tag{${inner}}`;
}

function wordsOf(node: Node): string {
  if (isText(node)) return node.value.replace(/[\\{}$]/g, '').replace(/[%&#_]/g, '\\$&');
  if (!isElement(node)) return '';
  return isMath(node) ? formulaInTag(readTex(node)) : node.childNodes.map(wordsOf).join('');
}

/** \eqno typesets its number as a formula; digits and punctuation need none. */
function formulaInTag(tex: string): string {
  if (/^[\d\s().,:'*-]+$/.test(tex)) return tex;
  const inner = /^\((.*)\)$/.exec(tex)?.[1];
  return inner === undefined ? `\\(${tex}\\)` : `(\\(${inner}\\))`;
}

function writeRows(rows: readonly Row[], isPaired: boolean): MathBlock[] {
  const lines = rows.map(({ cells }) =>
    cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1),
  );
  const tags = rows.flatMap((row) => row.tag ?? []);
  const filled = lines.filter((cells) => cells.length > 0);
  if (filled.length === 0) return [];
  const isGroup = filled.length > 1;
  const width = filled.reduce((most, cells) => Math.max(most, cells.length), 0);
  const columns = Array.from({ length: width }, (_, k) => k);
  const skip = columns.findIndex((k) => filled.some((cells) => (cells[k] ?? '') !== ''));
  const body = isGroup
    ? `\\begin{aligned}\n${filled.map((cells) => alignCells(cells, skip, width)).join(' \\\\\n')}\n\\end{aligned}`
    : writeLine(filled[0] ?? [], isPaired);
  return [{ type: 'math', value: [body, ...tags].join(isGroup ? '\n' : ' ') }];
}

/** A single row needs no alignment; in an align, every second cell ends an equation. */
function writeLine(cells: readonly string[], isPaired: boolean): string {
  const pieces = cells.map((cell, k) => {
    const isNext =
      isPaired && k >= 2 && k % 2 === 0 && cells.slice(0, k).some((left) => left !== '');
    return cell !== '' && isNext ? `\\qquad ${cell}` : cell;
  });
  return pieces.filter((piece) => piece !== '').join(' ');
}

/** Joins cells with alignment marks, less the `skip` leading columns that are empty in every row. */
function alignCells(cells: readonly string[], skip: number, width: number): string {
  const shown = cells.slice(skip);
  return width - skip <= 1
    ? shown.join('')
    : shown
        .join(' & ')
        .replace(/& {2}(?=&)/g, '& ')
        .trimStart();
}
