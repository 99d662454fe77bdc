/**
 * What is wrong with a text that is not JSON, as the end of a sentence; undefined where it is JSON.
 * Characters are counted from 1.
 */
export function describeJsonFault(text: string): string | undefined {
  if (parses(text)) return undefined;
  if (isPrefix(text)) return 'it ends too early';
  // A prefix of a prefix of JSON is one itself, so bisection finds where the text leaves JSON.
  let valid = 0;
  let invalid = text.length;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isPrefix(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return `it goes wrong at character ${[...text.slice(0, valid)].length + 1}`;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True where more text could make it JSON: it parses, or only its end is missing. */
function isPrefix(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    // V8 gives a position for some faults only; one at the very end means that text is missing.
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    return /^Unexpected end/.test(message) || Number(position) === text.length;
  }
}
