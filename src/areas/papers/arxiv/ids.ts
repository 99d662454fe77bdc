import setFile from '../../../../data/arxiv-sets.json' with { type: 'json' };
import { cardIdOfName } from '../../../core/area.ts';

const MONTH = '(?:0[1-9]|1[0-2])';
/** An id issued since April 2007: year, month, and a number of four digits, or five since 2015. */
export const NEW_ID = `(?:0[7-9]|1[0-4])${MONTH}\\.\\d{4}|(?:1[5-9]|[2-8]\\d)${MONTH}\\.\\d{5}`;
/** The numeric part of an id issued until March 2007, such as q-fin/0601001. */
export const OLD_NUMBER = `(?:9[1-9]|0[0-7])${MONTH}\\d{3}`;
const ID = new RegExp(`^(?:${NEW_ID}|[a-z]+(?:-[a-z]+)?/${OLD_NUMBER})$`);

/** True for an id in arXiv's own spelling, without a version. */
export function isArxivId(text: string): boolean {
  return ID.test(text);
}

/** The id as a URL path; a null version means the current one. */
export function pathOf(id: string, version: number | null): string {
  return version === null ? id : `${id}v${version}`;
}

export function pdfUrlOf(id: string, version: number | null): string {
  return `https://arxiv.org/pdf/${pathOf(id, version)}`;
}

/** `arxiv:1404.4944` or `arxiv:q-fin/0601001`, without a version. */
export function sourceIdOf(arxivId: string): string {
  return `arxiv:${arxivId}`;
}

export function cardIdOf(sourceId: string): string {
  return cardIdOfName(sourceId);
}

/** True for the source id of one of the user's own papers that is not on arXiv. */
export function isOwnId(sourceId: string): boolean {
  return /^(?:doi|file):/.test(sourceId);
}

export function arxivIdOf(sourceId: string): string {
  return sourceId.replace(/^arxiv:/, '');
}

/** The month of submission that an arXiv id states, as YYYY-MM. */
export function monthOf(sourceId: string): string {
  const [, year = '', month = ''] = /(?:^|\/)(\d{2})(\d{2})[\d.]+$/.exec(arxivIdOf(sourceId)) ?? [];
  // arXiv began in 1991.
  return `${Number(year) > 90 ? '19' : '20'}${year}-${month}`;
}

/** The URI of a paper's resource, or of a part of the paper; encodes the slash of an old id. */
export function paperUri(sourceId: string, ...path: readonly string[]): string {
  return ['quantshelf://paper', arxivIdOf(sourceId), ...path]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
}

/** All sets of arXiv's OAI-PMH server, as `group[:archive[:CATEGORY]]`. */
const SETS = Object.entries(setFile.groups).flatMap(([group, archives]) => [
  group,
  ...Object.entries(archives).flatMap(([archive, categories]) => [
    `${group}:${archive}`,
    ...categories.split(' ').map((category) => `${group}:${archive}:${category}`),
  ]),
]);

/**
 * The set with this name, which may also be a category such as `q-fin.PM` or an archive such as
 * `hep-th`. Null for an unknown name.
 */
export function setNamed(name: string): string | null {
  const query = name.trim().toLowerCase();
  const namesOf = (set: string) => [set, set.replace(/^[^:]+:/, '').replace(':', '.')];
  return SETS.find((set) => namesOf(set).some((each) => each.toLowerCase() === query)) ?? null;
}
