/** The fields of each entry, and how many entries could not be read. */
export type Bibliography = Awaited<ReturnType<typeof parseBibliography>>;

const NO_CASES = { english: false, caseProtection: false, unsupported: 'ignore' } as const;

/** Parses BibTeX. A few strings that double each other exhaust any machine: run it in the parser's thread. */
export async function parseBibliography(text: string) {
  const { parse } = await import('@retorquere/bibtex-parser');
  const { entries, errors } = parse(text, NO_CASES);
  return { entries: entries.map(({ fields }) => fields), unread: errors.length };
}
