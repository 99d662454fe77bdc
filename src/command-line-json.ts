/**
 * What is wrong with a text that is no JSON, as the end of a sentence; undefined where it is JSON.
 * Characters are counted from 1.
 */
export function describeJsonFault(text: string): string | undefined {
  if (parses(text)) return undefined;
  if (couldGoOn(text)) return 'it ends too early';
  // Any beginning of a text that could go on could go on itself, so the place can be halved to.
  let fits = 0;
  let fails = text.length;
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2);
    if (couldGoOn(text.slice(0, middle))) fits = middle;
    else fails = middle;
  }
  return `it goes wrong at character ${[...text.slice(0, fits)].length + 1}`;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True where more text could make it JSON: it parses, or nothing but its end is missed. */
function couldGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    // The parser names a place only for some faults; one at the very end is a lack, too.
    const said = error instanceof Error ? error.message : '';
    const place = /at position (\d+)/.exec(said)?.[1];
    return /^Unexpected end/.test(said) || Number(place) === text.length;
  }
}
