import { ArxivRequestError } from './errors.ts';

// '2401.00001' since April 2007, with four digits before 2015; 'q-fin/0601001' until March 2007.
const ID = /^(?:\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)?\/\d{7})$/;
const VERSIONED = /^(.*?)v([1-9]\d{0,3})$/;

/** True of an id as arXiv itself writes it, without a version. */
export function isArxivId(text: string): boolean {
  return ID.test(text);
}

/** The id and its version; null when `text` is no id with a version behind it. */
export function splitVersion(text: string): { id: string; version: number } | null {
  const [, id = '', version = ''] = VERSIONED.exec(text) ?? [];
  return isArxivId(id) ? { id, version: Number(version) } : null;
}

/** The id as it stands in a path, safe to put into a URL. Throws an ArxivRequestError for anything else. */
export function pathOf(id: string, version: number | null): string {
  if (!isArxivId(id)) throw new ArxivRequestError('incorrect_id', 'This is no arXiv id.');
  if (version === null) return id;
  if (!Number.isInteger(version) || version < 1) {
    throw new ArxivRequestError('incorrect_id', 'This is no version of a paper.');
  }
  return `${id}v${version}`;
}

/** Where a reader finds the paper: always at arXiv itself, the current version when none is named. */
export function pdfUrlOf(id: string, version: number | null): string {
  return `https://arxiv.org/pdf/${pathOf(id, version)}`;
}
