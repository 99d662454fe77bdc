import wordingFile from '../../../../data/paper-wording.json' with { type: 'json' };
import { spell } from '../../../core/patterns.ts';
import type { ArxivMetadata } from './records.ts';

const { parts, ...patterns } = wordingFile.withdrawal;
const patternOf = (name: keyof typeof patterns) => new RegExp(spell(patterns[name], parts), 'i');
const COMMENT_OPENS = patternOf('commentOpens');
const ABSTRACT_OPENS = patternOf('abstractOpens');
const SAYS = patternOf('says');
const ANOTHER = patternOf('another');

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
