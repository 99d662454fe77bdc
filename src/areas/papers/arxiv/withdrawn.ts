import type { ArxivMetadata } from './records.ts';

// Comments are free text; these patterns cover the phrases of authors and of arXiv's staff.
const WORK =
  '(?:paper|article|submission|manuscript|e-?print|preprint|work|note|draft|document|version|thesis|report)';
/** "… withdrawn from the conference" is not a withdrawal from arXiv. */
const WITHDRAWN = String.raw`withdrawn\b(?!\s+from\s+(?!(?:the\s+)?arxiv))`;
const AUXILIARY = String.raw`(?:(?:has|have|is|was|had|been|being|to|be|now|hereby|temporarily|voluntarily|permanently|also|superseded|replaced|and)\s+)*`;
const PARTY = String.raw`(?:the\s+)?(?:(?:first|main|corresponding|submitting)\s+)?(?:authors?|submitters?|arxiv)\b`;

/** "This paper has been withdrawn …" and "The author has withdrawn this paper". */
const ABOUT_WORK = String.raw`(?:this\s+|the\s+|our\s+)?(?:arxiv\s+)?${WORK}\s+${AUXILIARY}${WITHDRAWN}`;
const BY_PARTY = String.raw`${PARTY}\s+${AUXILIARY}(?:withdrawn|withdrew|withdraws?)\s+(?:this|the|our)\s+${WORK}`;
/** Only a comment may open with the bare word; in an abstract it could be withdrawn money. */
const BARE = String.raw`${WITHDRAWN}(?=\s*(?:$|[.,:;!)\]\-–—(]|(?:by|due|because|as|for|since|pending|until|and|in|on|from|at)\b))`;

const OPENING = String.raw`^(?:arxiv\s+admin\s+note\s*:\s*)?["'“‘([*]*\s*`;
const COMMENT_OPENS = new RegExp(`${OPENING}(?:${ABOUT_WORK}|${BY_PARTY}|${BARE})`, 'i');
const ABSTRACT_OPENS = new RegExp(
  String.raw`${OPENING}(?:${ABOUT_WORK}|${BY_PARTY}|withdrawn(?:\s+by\s+${PARTY}|\s*(?:[.!]|$)))`,
  'i',
);
const SAYS = new RegExp(String.raw`\b(?:${ABOUT_WORK}|${BY_PARTY}|withdrawn\s+by\s+${PARTY})`, 'i');
/** Another version or another paper was withdrawn, not this one. */
const ANOTHER =
  /\b(?:earlier|previous(?:ly)?|prior|older|former|(?:first|original)\s+version|replac(?:es|ing)|supersed(?:es|ing)|v\d+|version\s+\d+)\b/i;

/** Whether another one was withdrawn. Two steps, because one pattern would backtrack heavily. */
function isAboutAnother(sentence: string): boolean {
  const end = sentence.toLowerCase().lastIndexOf('withdr');
  return end >= 0 && ANOTHER.test(sentence.slice(0, end));
}

/** True when the paper itself was withdrawn; a paper about withdrawn deposits stays. */
export function isWithdrawn({ comment, abstract }: Pick<ArxivMetadata, 'comment' | 'abstract'>) {
  const sentences = (comment ?? '').split(/(?<=[.;!?])\s+/);
  const ofThis = sentences.filter((sentence) => !isAboutAnother(sentence));
  return (
    ofThis.some((sentence) => COMMENT_OPENS.test(sentence) || SAYS.test(sentence)) ||
    ABSTRACT_OPENS.test(abstract)
  );
}
