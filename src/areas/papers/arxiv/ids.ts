import { RejectedRequestError } from '../../../upstream/errors.ts';

// '2401.00001' since April 2007, with four digits before 2015; 'q-fin/0601001' until March 2007.
const ID = /^(?:\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)?\/\d{7})$/;
const VERSIONED = /^(.*?)v([1-9]\d{0,3})$/;

/** True for an id in arXiv's own spelling, without a version. */
export function isArxivId(text: string): boolean {
  return ID.test(text);
}

/** Splits '2401.00001v2'; null when `text` is not an id with a version. */
export function splitVersion(text: string): { id: string; version: number } | null {
  const [, id = '', version = ''] = VERSIONED.exec(text) ?? [];
  return isArxivId(id) ? { id, version: Number(version) } : null;
}

/** The id as a URL path. Throws a RejectedRequestError for anything else. */
export function pathOf(id: string, version: number | null): string {
  if (!isArxivId(id)) throw new RejectedRequestError('Not a valid arXiv id.');
  if (version === null) return id;
  if (!Number.isInteger(version) || version < 1) {
    throw new RejectedRequestError('Not a valid paper version.');
  }
  return `${id}v${version}`;
}

/** The paper's PDF at arXiv; null means the current version. */
export function pdfUrlOf(id: string, version: number | null): string {
  return `https://arxiv.org/pdf/${pathOf(id, version)}`;
}
