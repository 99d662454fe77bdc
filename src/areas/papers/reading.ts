import type { Context } from '../../core/context.ts';
import { invalidRequest } from '../../core/errors.ts';
import { printable } from '../../core/input.ts';
import type { Reader } from '../../core/reader.ts';
import { slugOf } from './full-text/sections/sections.ts';
import { ownIdOf } from './own-hidden.ts';
import { getPaperById, type ManifestRow, type PaperRow } from './queries.ts';

/** Maximum number of unknown keys quoted in an error. */
const MAX_NAMED = 10;

/** A section's number in its key: "s03-", "s100-". */
const NUMBER = /^s\d{2,3}-/;

/**
 * The sections with these names, or all if none or "all" is named. Throws `invalid_request`, listing
 * the valid keys, for an unknown name; the message says if the full text is not stored, or is withheld.
 */
export function chooseSections<T extends Pick<ManifestRow, 'section_key'>>(
  names: readonly string[],
  sections: readonly T[],
  { isStored, isGated }: { isStored: boolean; isGated: boolean },
): T[] {
  if (asksForAll(names)) return [...sections];
  const keys = sections.map(({ section_key }) => section_key);
  const unknown = [...new Set(names)].filter((name) => findKey(name, keys) === undefined);
  if (unknown.length > 0) {
    const quoted = unknown.slice(0, MAX_NAMED).map((name) => `"${printable(name)}"`);
    const fault = isGated
      ? 'This server may not share the full text of this paper, so it serves no section'
      : 'This paper has no section';
    const missing = isStored ? '' : ' The full text has not been fetched yet.';
    throw invalidRequest(
      `${fault} ${quoted.join(' or ')}. Valid keys are ${keys.join(', ')} and "all".${missing}`,
      'sections',
    );
  }
  const chosen = new Set(names.map((name) => findKey(name, keys)));
  return sections.filter(({ section_key }) => chosen.has(section_key));
}

/** True if sections are requested by name and all of them are stored. */
export function areAmong(
  names: readonly string[],
  sections: readonly Pick<ManifestRow, 'section_key'>[],
): boolean {
  const keys = sections.map(({ section_key }) => section_key);
  return !asksForAll(names) && names.every((name) => findKey(name, keys) !== undefined);
}

export function asksForAll(names: readonly string[]): boolean {
  return names.length === 0 || names.some((name) => name.trim().toLowerCase() === 'all');
}

/** The key for a name: a key in any case, or a unique section title with or without its number. */
function findKey(name: string, keys: readonly string[]): string | undefined {
  const key = name.trim().toLowerCase();
  if (keys.includes(key)) return key;
  const slug = slugOf(name);
  const titled = /[\p{L}\p{N}]/u.test(name)
    ? keys.filter((each) => each.replace(NUMBER, '') === slug)
    : [];
  return titled.length === 1 ? titled[0] : undefined;
}

type Policy = Pick<Context, 'policy'>;
type Licensed = Pick<PaperRow, 'textFormat' | 'licenseUrl'>;

/** Licences that permit serving an adaptation of the paper, such as its sections, to others. */
const OPEN = /creativecommons\.org\/(?:licenses\/(?:by|by-sa)|publicdomain\/zero)\//i;

/** True if the full text may be served to anyone; false for an unknown licence. */
export function isOpenLicence(licenseUrl: string | null): boolean {
  return licenseUrl !== null && OPEN.test(licenseUrl);
}

/** True if the store has a text that the reading policy withholds from callers. */
export function isGated({ textFormat, licenseUrl }: Licensed, { policy }: Policy): boolean {
  return policy === 'licensed' && textFormat !== null && !isOpenLicence(licenseUrl);
}

/** A filter for the sections that callers may read. */
export function servedBy(paper: Licensed, context: Policy) {
  const gated = isGated(paper, context);
  return ({ section_type }: Pick<ManifestRow, 'section_type'>) =>
    !gated || section_type === 'abstract';
}

/**
 * A stored paper as callers on this connection read it: with the text of the user's own file, if
 * there is one. If arXiv's card is withdrawn, the file's card replaces it.
 */
export function toReading(db: Reader, paper: PaperRow | undefined): PaperRow | undefined {
  if (paper === undefined || paper.id < 0) return paper;
  const own = getPaperById(db, ownIdOf(paper.id));
  if (own === undefined) return paper;
  if (paper.withdrawn === 1) return { ...own, withdrawnOn: paper.withdrawnOn };
  const { textId, textFormat, textVersion, lastPage, pages } = own;
  return { ...paper, textId, textFormat, textVersion, lastPage, pages };
}
