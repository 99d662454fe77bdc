import { type Element, findAll, rawText, squeeze } from '../tree.ts';

/** A passage of prose, or consecutive labels. */
export interface DrawnWords {
  kind: 'passage' | 'labels';
  elements: Element[];
}

/** Text with fewer words is a label. */
const MIN_WORDS = 6;

/** The text of a drawing, in order, without numbers such as those on axes. */
export function wordsOfDrawing(drawing: Element): DrawnWords[] {
  const words: DrawnWords[] = [];
  for (const element of findAll(drawing, ({ tagName }) =>
    /^(?:foreignObject|text)$/.test(tagName),
  )) {
    const text = squeeze(rawText(element));
    const kind = (text.match(/\S+/g)?.length ?? 0) >= MIN_WORDS ? 'passage' : 'labels';
    const last = words.at(-1);
    if (isNumeric(text)) continue;
    if (kind === 'labels' && last?.kind === kind) last.elements.push(element);
    else words.push({ kind, elements: [element] });
  }
  return words;
}

const TEX_IN_NUMBERS =
  /\\(?:cdot|times|displaystyle|textstyle|scriptstyle|mathdefault|mathrm|text)/g;

/** Whether text is a number: "0.5", "1{,}000", "\mathdefault{10^{-2}}". */
function isNumeric(text: string): boolean {
  return !/\p{L}/u.test(text.replace(TEX_IN_NUMBERS, ''));
}
