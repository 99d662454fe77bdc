import type { ArxivMetadata } from './arxiv/oai.ts';

// Phrases with which authors and arXiv staff announce a withdrawal in comments and abstracts.
// "Withdrawn from the conference" is not one.

const WORK =
  '(?:paper|article|submission|manuscript|e-?print|preprint|work|note|draft|document|thesis|report)';
const OWN = `(?:this|the|our|my) (?:version of (?:this|the|our) )?${WORK}|(?:this|the (?:current|present)) version`;
const HAS_BEEN =
  '(?:(?:has|is|was|to|be|been|being|now|hereby|temporarily|permanently|voluntarily|superseded|and) )*';
const PARTY =
  '(?:the )?(?:(?:first|main|corresponding|submitting) )?(?:authors?|submitters?|arxiv)\\b';
const WITHDRAWN = '(?:withdrawn|retracted)\\b(?! from (?!(?:the )?arxiv))';
const WILL = '(?:(?:ha(?:s|ve)|had|am|are|is|must|wish(?:es)?|wants?|would|like|decided?|to) )*';
const WITHDRAW = '(?:withdr(?:aw(?:n|s|ing)?|ew)|retract(?:ed|s|ing)?)';
/** A paper superseded by its journal version is not withdrawn. */
const SUPERSEDED = `superseded by (?=arxiv|https?://arxiv|(?:(?:a|an|our|my|another|the) )?(?:\\w+ )?${WORK}\\b)(?!(?:the |its )?(?:published|journal|final))`;
const SAYS = [
  `(?:${OWN}|${WORK}) ${HAS_BEEN}(?:${WITHDRAWN}|removed by ${PARTY}|${SUPERSEDED})`,
  `(?:withdrawn|retracted) by ${PARTY}`,
  `(?:${PARTY}|we|i) ${WILL}${WITHDRAW} (?:${OWN})`,
].join('|');
/** A bare word counts only in a comment or as a whole abstract: an abstract may begin "Withdrawn deposits". */
const BARE = [
  `${HAS_BEEN}withdrawn\\b(?! from (?!(?:the )?arxiv))`,
  `${HAS_BEEN}retracted(?=\\W*$|[.,;:!(]| (?:by|due|because|for|since|as|until|pending)\\b)`,
  `(?:withdrawing|retracting) (?:${OWN})`,
  `${HAS_BEEN}${SUPERSEDED}`,
].join('|');
const IN_COMMENT = new RegExp(`^\\W*(?:${BARE})|\\b(?:${SAYS})`, 'i');
const IN_ABSTRACT = new RegExp(`^\\W*(?:${SAYS}|withdrawn\\W*$|retracted\\W*$)`, 'i');
/** After an abstract's first sentence, only a full announcement counts. */
const IN_SENTENCE = new RegExp(
  `^\\W*this ${WORK} (?:has been|is being|was|is) (?:hereby )?(?:${WITHDRAWN}|${SUPERSEDED})`,
  'i',
);
/** Words before an announcement that make it refer to another version or another paper. */
const ANOTHER =
  /\b(?:earlier|previous(?:ly)?|prior|older|former|(?:first|original) version|replac(?:es|ing)|supersed(?:es|ing)|v\d+|version \d+)\b/i;

/** True if the paper itself was withdrawn; a paper about withdrawn deposits does not count. */
export function isWithdrawn({
  comment,
  abstract,
  versions = [],
}: Pick<ArxivMetadata, 'comment' | 'abstract'> & Partial<ArxivMetadata>): boolean {
  if (versions.at(-1)?.isWithdrawn === true) return true;
  const isSaid = sentencesOf(comment ?? '').some((sentence) => {
    const index = sentence.search(IN_COMMENT);
    return index >= 0 && !ANOTHER.test(sentence.slice(0, index));
  });
  if (isSaid || IN_ABSTRACT.test(abstract)) return true;
  return sentencesOf(abstract).some((sentence) => IN_SENTENCE.test(sentence));
}

/** True if arXiv has deleted the record, or the paper was withdrawn. */
export function isGone(metadata: ArxivMetadata | null): boolean {
  return metadata === null || isWithdrawn(metadata);
}

const sentencesOf = (text: string) => text.split(/(?<=[.;!?])\s+/);
