import type { RootContent, TableCell, TableRow } from 'mdast';
import { type ReaderState, readPhrasing } from './inline.ts';
import { codeText } from './tex.ts';
import {
  childElements,
  type Element,
  hasClass,
  holds,
  isOf,
  rawText,
  spanOf,
  squeeze,
} from './tree.ts';

/** Maximum number of columns; a wider table is unreadable in Markdown. */
const MAX_COLUMNS = 20;
/** Maximum length, in UTF-16 code units, of the text that a tall cell repeats in the rows below. */
const MAX_REPEATED = 2_000;

/** A Markdown table, or fenced text if it is too wide or contains another table. */
export function readTable(table: Element, state: ReaderState): RootContent[] {
  const cells = rowsOf(table).map((row) => childElements(row).filter(isCell));
  // A table of one column is layout, not data.
  if (cells.every((row) => row.length <= 1)) {
    return cells.flat().flatMap((cell) => state.readBlocks(cell.childNodes, state));
  }
  if (cells.flat().some(holdsTable)) return fenceTable(cells);
  const grid = layOut(cells, state).filter((row) => row.some((cell) => cell.length > 0));
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
  if (grid.length === 0 || width > MAX_COLUMNS) return fenceTable(cells);
  const columns = Array.from({ length: width }, (_, k) => k);
  const children = grid.map(
    (row): TableRow => ({
      type: 'tableRow',
      children: columns.map((k): TableCell => ({ type: 'tableCell', children: row[k] ?? [] })),
    }),
  );
  return [{ type: 'table', align: columns.map(() => null), children }];
}

function isCell(element: Element): boolean {
  return element.tagName === 'td' || element.tagName === 'th' || hasClass(element, 'ltx_td');
}

function isRow(element: Element): boolean {
  return element.tagName === 'tr' || hasClass(element, 'ltx_tr');
}

function rowsOf(table: Element): Element[] {
  return childElements(table).flatMap((child) => {
    if (isRow(child)) return [child];
    return isOf(child, 'table') ? [] : childElements(child).filter(isRow);
  });
}

/** Whether a cell contains a table of several columns; a single column only breaks lines. */
function holdsTable(cell: Element): boolean {
  return holds(
    cell,
    (child) =>
      isOf(child, 'table') &&
      rowsOf(child).some((row) => childElements(row).filter(isCell).length > 1),
  );
}

/** Places cells on a grid: a wide cell is followed by empty ones, a tall one is repeated below. */
function layOut(rows: readonly Element[][], state: ReaderState): TableCell['children'][][] {
  const grid: TableCell['children'][][] = rows.map(() => []);
  rows.forEach((cells, y) => {
    let x = 0;
    for (const cell of cells) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const content = readPhrasing(cell.childNodes, { ...state, isCell: true });
      const isLong = rawText(cell).length > MAX_REPEATED;
      const height = Math.min(spanOf(cell, 'rowspan'), rows.length - y);
      const width = spanOf(cell, 'colspan');
      grid.slice(y, y + height).forEach((line, below) => {
        for (let k = 0; k < width && x + k <= MAX_COLUMNS; k += 1) {
          line[x + k] = k === 0 && (below === 0 || !isLong) ? content : [];
        }
      });
      x += width;
    }
  });
  return grid;
}

function fenceTable(rows: readonly Element[][]): RootContent[] {
  const lines = rows
    .map((cells) => cells.map((cell) => squeeze(codeText(cell.childNodes)).trim()).join(' | '))
    .filter((line) => /[^\s|]/.test(line));
  return lines.length === 0 ? [] : [{ type: 'code', lang: 'text', value: lines.join('\n') }];
}
