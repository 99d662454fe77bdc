import type { RootContent } from 'mdast';
import { plainItem, plainParagraph } from '../markdown.ts';
import type { Block } from './blocks.ts';
import { isSameColumn } from './headings.ts';
import type { Line } from './lines.ts';
import { joinLines, type Vocabulary } from './words.ts';

const MARK = /^(?:\[[\w+.,\s-]{1,24}\]|\(?\d{1,3}[.)])\s*\S/u;

/** The references, as a list if single entries can be told apart. */
export function readWorks(blocks: readonly Block[], vocabulary: Vocabulary): RootContent[] {
  const lines = blocks.flatMap((block) => (block.kind === 'heading' ? [] : block.lines));
  const works = divide(lines);
  const texts = works.map((work) => joinLines(work, vocabulary));
  if (texts.length < 2) return texts.map(plainParagraph);
  return [{ type: 'list', ordered: false, spread: false, children: texts.map(plainItem) }];
}

/** Splits by labels, else by hanging indents, else by vertical gaps. */
function divide(lines: readonly Line[]): Line[][] {
  const first = lines[0];
  if (first === undefined) return [];
  if (MARK.test(first.text)) {
    const isBracket = first.text.startsWith('[');
    return group(lines, (line) => MARK.test(line.text) && line.text.startsWith('[') === isBracket);
  }
  const hanging = lines.filter((line) => line.x > line.left + 0.6 * line.size).length;
  if (hanging > 0.2 * lines.length) {
    return group(lines, (line) => line.x <= line.left + 0.6 * line.size);
  }
  return group(lines, (line, above) => {
    if (!isSameColumn(above, line))
      return /\.$/.test(above.text) && above.end < above.right - line.size;
    return above.y - line.y > 1.4 * line.size;
  });
}

function group(lines: readonly Line[], isStart: (line: Line, above: Line) => boolean): Line[][] {
  const groups: Line[][] = [];
  let above: Line | undefined;
  for (const line of lines) {
    const last = groups.at(-1);
    if (last === undefined || above === undefined || isStart(line, above)) groups.push([line]);
    else last.push(line);
    above = line;
  }
  return groups;
}
