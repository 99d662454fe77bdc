import { cut } from '../../../../core/text.ts';
import type { TextSection } from './sections.ts';

/** Title of the paragraph that stands in for an unlabelled abstract. */
export const FIRST_PARAGRAPH = 'First paragraph';

const MAX_ABSTRACT = 2_500;
/** Minimum length, in UTF-16 code units; a shorter paragraph is probably front matter. */
const LEAST_PARAGRAPH = 200;

/** The abstract, else the first long paragraph, else the first paragraph; with its title. */
export function findAbstract(sections: readonly TextSection[]): { title: string; text: string } {
  const named = sections.find(({ key }) => key === 'abstract');
  if (named !== undefined) return { title: named.title, text: plain(named.content) };
  const paragraphs = sections
    .filter(({ type }) => type !== 'references' && type !== 'acknowledgements')
    .flatMap(({ content }) => content.split(/\n\s*\n/));
  const first = paragraphs.find((text) => text.length >= LEAST_PARAGRAPH && !/^[#|]/.test(text));
  return { title: FIRST_PARAGRAPH, text: plain(first ?? paragraphs[0] ?? '') };
}

/** Markdown without headings or escapes, on one line, shortened. */
function plain(markdown: string): string {
  const text = markdown.replace(/^#+ .*$/gm, '').replace(/\\([^\w\s])/g, '$1');
  return cut(text.replace(/\s+/g, ' ').trim(), MAX_ABSTRACT);
}
