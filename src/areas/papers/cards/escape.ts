/**
 * A title or an abstract as Markdown: what stands in it makes no tag, no link and no image. Formulas
 * stay as they are.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/<(?=[!?]|\/?[a-z][\w-]*(?:\s[^<>]*=[^<>]*)?\/?>)|(?<=\])[([]/gi, '\\$&');
}
