/**
 * What means something to TeX, as text. Braces by name: BibTeX counts them whether or not a backslash
 * stands before them, and an unbalanced one would end the field.
 */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...['&', '%', '$', '#', '_'].map((sign): [string, string] => [sign, `\\${sign}`]),
  ['{', '\\textbraceleft{}'],
  ['}', '\\textbraceright{}'],
  ['~', '\\textasciitilde{}'],
  ['^', '\\textasciicircum{}'],
  ['\\', '\\textbackslash{}'],
  ['<', '\\textless{}'],
  ['>', '\\textgreater{}'],
  ['|', '\\textbar{}'],
]);

/** Text that TeX prints as it is; letters beyond ASCII stay UTF-8. */
export function escapeTex(text: string): string {
  return text.replace(/[&%$#_{}~^\\<>|]/g, (sign) => ESCAPES.get(sign) ?? sign);
}
