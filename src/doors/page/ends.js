import { makeSvg } from './dom.js';

/** Room that two numbers need, in pixels. */
const LETTER_HEIGHT = 13;
const LETTER_WIDTH = 12;

/**
 * The numbers of the legend at the ends of the lines, so that no colour has to be told from
 * another; moved apart where lines end close together.
 * @param {readonly {x: number, y: number}[]} ends
 */
export function drawEnds(ends) {
  if (ends.length < 2) return [];
  /** @type {{x: number, y: number}[]} */
  const placed = [];
  return ends
    .map((end, at) => ({ ...end, number: at + 1 }))
    .sort((a, b) => a.y - b.y)
    .map(({ x, y, number }) => {
      const above = placed.findLast((other) => Math.abs(other.x - x) < LETTER_WIDTH);
      const free = above === undefined ? y : Math.max(y, above.y + LETTER_HEIGHT);
      placed.push({ x, y: free });
      return makeSvg('text', { class: 'end', x: x + 6, y: free + 4 }, String(number));
    });
}
