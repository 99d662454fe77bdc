/**
 * A pattern in which `{name}` stands for the part of that name, which may have parts itself. Throws an
 * Error for a name without a part.
 */
export function spell(pattern: string, parts: Readonly<Record<string, string>>): string {
  return pattern.replace(/(?<!\\[pPu])\{([a-z]\w+)\}/gi, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`No part of a pattern is named "${name}".`);
    return spell(part, parts);
  });
}
