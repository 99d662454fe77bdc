/** Pixels in the picture per pixel of the plot. */
const DENSITY = 2;
const LINE = 22;
const ALIGNMENT: Readonly<Record<string, CanvasTextAlign>> = { end: 'right', middle: 'center' };

/** A base64 PNG of a plot with its title and credit. */
export function pictureOf(svg: SVGSVGElement, title: string, credit: string): string {
  const { width = 0, height = 0 } = svg.viewBox.baseVal;
  const canvas = document.createElement('canvas');
  canvas.width = width * DENSITY;
  canvas.height = (height + 2 * LINE) * DENSITY;
  const pen = canvas.getContext('2d');
  if (pen === null) throw new Error('this browser cannot draw on a canvas');
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
  pen.scale(DENSITY, DENSITY);
  pen.fillStyle = backgroundColor;
  pen.fillRect(0, 0, width, height + 2 * LINE);
  pen.fillStyle = color;
  pen.font = `bold 14px ${fontFamily}`;
  pen.fillText(title, 12, LINE - 6, width - 24);
  pen.font = `11px ${fontFamily}`;
  pen.fillText(credit, 12, height + 2 * LINE - 8, width - 24);
  pen.translate(0, LINE);
  for (const part of svg.querySelectorAll('path, line, rect, text')) paint(part, pen);
  return canvas.toDataURL('image/png').replace(/^.*,/, '');
}

function paint(part: Element, pen: CanvasRenderingContext2D): void {
  const style = getComputedStyle(part);
  const at = (name: string) => Number(part.getAttribute(name));
  // Leave out the cross-hair and the selection.
  if (style.visibility === 'hidden' || part.matches('.rule, .selection')) return;
  pen.fillStyle = style.fill;
  pen.strokeStyle = style.stroke;
  pen.lineWidth = Number.parseFloat(style.strokeWidth);
  pen.setLineDash(style.strokeDasharray.match(/[\d.]+/g)?.map(Number) ?? []);
  if (part.localName === 'rect') {
    pen.fillRect(at('x'), at('y'), at('width'), at('height'));
  } else if (part.localName === 'text') {
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    pen.textAlign = ALIGNMENT[style.textAnchor] ?? 'left';
    pen.fillText(part.textContent ?? '', at('x'), at('y'));
  } else {
    const path = part.getAttribute('d');
    pen.stroke(new Path2D(path ?? `M${at('x1')} ${at('y1')}L${at('x2')} ${at('y2')}`));
  }
}
