/**
 * A title or an abstract as Markdown: what stands in it makes no tag, no link and no image. A space
 * does that and, unlike a backslash, means nothing in a formula.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/<(?=[a-z!?/])|\](?=[([])/gi, '$& ');
}
