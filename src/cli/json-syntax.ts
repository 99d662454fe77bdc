/**
 * What is wrong with a text that is not JSON, as the end of a sentence; undefined where it is JSON.
 * Characters are counted from 1.
 */
export function describeJsonFault(text: string): string | undefined {
  const state = stateOf(text);
  if (state === 'whole') return undefined;
  if (state === 'cut') return 'it ends too early';
  // A prefix of a prefix of JSON is one itself, so bisection finds where the text leaves JSON.
  let valid = 0;
  let invalid = text.length;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (stateOf(text.slice(0, middle)) === 'wrong') invalid = middle;
    else valid = middle;
  }
  return `it goes wrong at character ${[...text.slice(0, valid)].length + 1}`;
}

/** Whether a text is JSON, lacks only its end, or is neither. */
function stateOf(text: string): 'whole' | 'cut' | 'wrong' {
  try {
    JSON.parse(text);
    return 'whole';
  } catch (error) {
    // V8 gives a position for some faults only; one at the very end means that text is missing.
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    const isCut = /^Unexpected end/.test(message) || Number(position) === text.length;
    return isCut ? 'cut' : 'wrong';
  }
}
