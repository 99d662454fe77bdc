/** The fields of each entry, and how many entries could not be read. */
export type Bibliography = Awaited<ReturnType<typeof parseBibliography>>;

const NO_CASES = { english: false, caseProtection: false, unsupported: 'ignore' } as const;

/**
 * Parses BibTeX. Run it only in the parser's thread, which limits time and memory: nested `@string`
 * macros expand exponentially.
 */
export async function parseBibliography(text: string) {
  const { parse } = await import('@retorquere/bibtex-parser');
  const { entries, errors } = parse(text, NO_CASES);
  return { entries: entries.map(({ fields }) => fields), unread: errors.length };
}
