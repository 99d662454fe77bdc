import type { RootContent } from 'mdast';
import { readTex } from './tex.ts';
import {
  cleanPiece,
  type Element,
  findAll,
  hasClass,
  isBlock,
  isElement,
  isMath,
  isText,
  type Node,
  rawText,
  squeeze,
} from './tree.ts';

export function isListing(element: Element): boolean {
  return hasClass(element, 'ltx_listing') || element.tagName === 'pre';
}

/** An algorithm, a program or verbatim text as a fenced block, with formulas as bare TeX. */
export function readListing(element: Element): RootContent[] {
  const lines = findAll(element, (child) => hasClass(child, 'ltx_listingline'));
  const text =
    lines.length === 0
      ? cleanPiece(rawText(element)).split('\n')
      : lines.map((line) => lineText(line.childNodes).replace(/\s/gu, ' '));
  const value = dedent(text.map((line) => line.trimEnd())).join('\n');
  const lang = element.tagName === 'pre' ? null : 'text';
  return value.trim() === '' ? [] : [{ type: 'code', lang, value }];
}

/** Removes common indentation, and empty lines at both ends. */
function dedent(lines: readonly string[]): string[] {
  const full = lines.filter((line) => line !== '');
  const shared = full.reduce((least, line) => Math.min(least, line.search(/\S/)), Infinity);
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(first, last + 1).map((line) => line.slice(shared));
}

/** A line of a listing, with its spaces and without its number. */
function lineText(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return cleanPiece(node.value);
      if (!isElement(node) || hasClass(node, 'ltx_tag_listingline')) return '';
      if (isMath(node)) return readTex(node);
      const isRule = hasClass(node, 'ltx_rule');
      return isRule ? '' : lineText(node.childNodes);
    })
    .join('');
}

/** The content of a table cell for fenced text, on one line. */
export function readCodeText(nodes: readonly Node[]): string {
  const pieces = (list: readonly Node[]): string =>
    list
      .map((node) => {
        if (isText(node)) return node.value;
        if (!isElement(node)) return '';
        if (isMath(node)) return readTex(node);
        const inner = pieces(node.childNodes);
        return isBlock(node) || /^(?:td|th|br)$/.test(node.tagName) ? ` ${inner} ` : inner;
      })
      .join('');
  return squeeze(pieces(nodes)).trim();
}
