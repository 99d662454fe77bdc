import { cleanLine } from '../../../../core/text.ts';
import { type Front, lettersOf, namesIn } from '../sections/front.ts';
import { findAll, findFirst, hasClass, parsePage, rawText } from './tree.ts';

const ID = '(\\d{4}\\.\\d{4,5}|[a-z-]+(?:\\.[A-Z]{2})?\\/\\d{7})';
/** arXiv's mark in the corner: "arXiv:2401.00001v2 [q-fin.PM] 3 Jan 2024". */
const MARK = new RegExp(`arXiv:${ID}(?:v\\d+)?\\s*\\[([a-z-]+(?:\\.[A-Za-z-]+)?)\\]`);
/** The address that a page was saved from or calls its own. */
const ADDRESS = new RegExp(
  `(?:saved from url=|rel="canonical" href="|<base href=")[^"\\s]{0,200}?/(?:html|abs)/${ID}`,
);

/** Reads bibliographic facts from a saved page of arXiv or ar5iv. */
export function readFront(html: string): Front {
  const root = parsePage(html);
  const title = root && findFirst(root, (element) => hasClass(element, 'ltx_title_document'));
  const people = root === null ? [] : findAll(root, (one) => hasClass(one, 'ltx_personname'));
  const mark = MARK.exec(html);
  return {
    title: title === null ? null : cleanLine(rawText(title)).slice(0, 1_000) || null,
    authors: people.flatMap((person) => namesIn(cleanLine(rawText(person)))).slice(0, 500),
    year: null,
    arxivId: mark?.[1] ?? ADDRESS.exec(html)?.[1] ?? null,
    category: mark?.[2] ?? null,
    doi: null,
    letters: title === null ? '' : lettersOf(rawText(title)).slice(0, 20_000),
  };
}
