/**
 * TeX's special characters as text. Braces are spelled as commands: BibTeX counts even escaped ones,
 * so an unbalanced brace would end the field.
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

/** Escapes TeX's special characters; non-ASCII letters stay UTF-8. */
export function escapeTex(text: string): string {
  return text.replace(/[&%$#_{}~^\\<>|]/g, (sign) => ESCAPES.get(sign) ?? sign);
}
