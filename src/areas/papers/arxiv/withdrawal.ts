import type { ArxivMetadata } from './records.ts';

// How comments and abstracts tell of a withdrawal: the phrases of authors and of arXiv's staff.
// "Withdrawn from the conference" is no withdrawal from arXiv.

const WORK = `(?:paper|article|submission|manuscript|e-?print|preprint|work|note|draft|document|version|thesis|report)`;
const WITHDRAWN = String.raw`(?:withdrawn\b(?!\s+from\s+(?!(?:the\s+)?arxiv))|removed(?=\s+by\s+(?:the\s+)?arxiv\b))`;
const AUXILIARY = String.raw`(?:(?:has|have|is|was|had|been|being|to|be|now|hereby|temporarily|voluntarily|permanently|also|superseded|replaced|and)\s+)*`;
const PARTY = String.raw`(?:the\s+)?(?:(?:first|main|corresponding|submitting)\s+)?(?:authors?|submitters?|arxiv)\b`;
const ABOUT_WORK = String.raw`(?:this\s+|the\s+|our\s+)?(?:arxiv\s+)?${WORK}\s+${AUXILIARY}${WITHDRAWN}`;
const BY_PARTY = String.raw`(?:${PARTY}|\b(?:we|i))\s+${AUXILIARY}(?:withdrawn|withdrew|withdraws?)\s+(?:this|the|our)\s+${WORK}`;
const BARE = String.raw`${WITHDRAWN}(?=\s*(?:$|[.,:;!)\]\-–—(]|(?:by|due|because|as|for|since|pending|until|and|in|on|from|at)\b))`;
const OPENING = String.raw`^(?:arxiv\s+admin\s+note\s*:\s*)?["'“‘([*]*\s*`;

const patternOf = (source: string) => new RegExp(source, 'i');
/** Only a comment may open with the bare word: in an abstract it could be withdrawn money. */
const COMMENT_OPENS = patternOf(`${OPENING}(?:${ABOUT_WORK}|${BY_PARTY}|${AUXILIARY}${BARE})`);
const ABSTRACT_OPENS = patternOf(
  String.raw`${OPENING}(?:${ABOUT_WORK}|${BY_PARTY}|withdrawn(?:\s+by\s+${PARTY}|\s*(?:[.!]|$)))`,
);
const SAYS = patternOf(String.raw`\b(?:${ABOUT_WORK}|${BY_PARTY}|withdrawn\s+by\s+${PARTY})`);
/** Tells of another version or another paper. */
const ANOTHER = patternOf(
  String.raw`\b(?:earlier|previous(?:ly)?|prior|older|former|(?:first|original)\s+version|replac(?:es|ing)|supersed(?:es|ing)|v\d+|version\s+\d+)\b`,
);

/** Whether another one was withdrawn. Two steps, because one pattern would backtrack heavily. */
function isAboutAnother(sentence: string): boolean {
  const [before = ''] = /^.*(?=withdr|removed\s+by)/is.exec(sentence) ?? [];
  return ANOTHER.test(before);
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
