import type { ArxivMetadata } from './records.ts';

// How comments and abstracts tell of a withdrawal: the phrases of authors and of arXiv's staff.
// "Withdrawn from the conference" is no withdrawal from arXiv.

const WORK =
  '(?:paper|article|submission|manuscript|e-?print|preprint|work|note|draft|document|thesis|report)';
const HAS_BEEN =
  '(?:(?:has|is|was|to|be|been|being|now|hereby|temporarily|permanently|voluntarily|superseded|and) )*';
const PARTY =
  '(?:the )?(?:(?:first|main|corresponding|submitting) )?(?:authors?|submitters?|arxiv)\\b';
const WITHDRAWN = 'withdrawn\\b(?! from (?!(?:the )?arxiv))';
const SAYS =
  `(?:(?:this|the|our) )?${WORK} ${HAS_BEEN}(?:${WITHDRAWN}|removed by ${PARTY})` +
  `|withdrawn by ${PARTY}` +
  `|(?:${PARTY}|we|i) (?:ha(?:s|ve) )?(?:withdrawn|withdrew|withdraws?) (?:this|the|our) ${WORK}`;
/** Only a comment may open with the bare word: in an abstract it could be withdrawn money. */
const IN_COMMENT = new RegExp(`^\\W*${HAS_BEEN}${WITHDRAWN}|\\b(?:${SAYS})`, 'i');
const IN_ABSTRACT = new RegExp(`^\\W*(?:${SAYS}|withdrawn\\W*$)`, 'i');
/** Tells of another version or another paper. */
const ANOTHER =
  /\b(?:earlier|previous(?:ly)?|prior|older|former|(?:first|original) version|replac(?:es|ing)|supersed(?:es|ing)|v\d+|version \d+)\b/i;

/** True when the paper itself was withdrawn; a paper about withdrawn deposits stays. */
export function isWithdrawn({ comment, abstract }: Pick<ArxivMetadata, 'comment' | 'abstract'>) {
  const isSaid = (comment ?? '').split(/(?<=[.;!?])\s+/).some((sentence) => {
    const index = sentence.search(IN_COMMENT);
    return index >= 0 && !ANOTHER.test(sentence.slice(0, index));
  });
  return isSaid || IN_ABSTRACT.test(abstract);
}
