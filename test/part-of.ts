/**
 * Where a text says something else than the whole answer: every field of `part` must have the same value
 * in `whole`, and the items of a list must be items of the longer one, in their order.
 */
export function differences(part: unknown, whole: unknown, path = ''): string[] {
  if (Array.isArray(part) && Array.isArray(whole)) {
    let from = 0;
    for (const [index, item] of part.entries()) {
      const at = whole.findIndex(
        (each, place) => place >= from && differences(item, each).length === 0,
      );
      if (at < 0) return [`${path}[${index}]`];
      from = at + 1;
    }
    return [];
  }
  if (isRecord(part) && isRecord(whole)) {
    return Object.entries(part).flatMap(([name, value]) =>
      differences(value, whole[name], `${path}.${name}`),
    );
  }
  return part === whole ? [] : [path];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
