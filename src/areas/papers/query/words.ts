/** Alternatives of a pattern: what a question may call a paper. */
export const DOCUMENT_NOUNS =
  'papers?|articles?|preprints?|publications?|literature|studies|research|works?';
