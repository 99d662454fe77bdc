/** A pattern in which `{name}` stands for the part of that name, which may have parts itself. */
export function spell(pattern: string, parts: Readonly<Record<string, string>>): string {
  return pattern.replace(/\{([a-z]\w+)\}/gi, (found, name: string) => {
    const part = parts[name];
    return part === undefined ? found : spell(part, parts);
  });
}
