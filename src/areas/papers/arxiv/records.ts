import wordingFile from '../../../../data/paper-wording.json' with { type: 'json' };

/** A paper's metadata in an OAI-PMH record. Texts are cleaned; formulas stay TeX. */
export interface ArxivMetadata {
  title: string;
  /** Forenames first, in the paper's order. */
  authors: string[];
  /** Paragraphs separated by a blank line; '' when arXiv has no abstract. */
  abstract: string;
  /** arXiv's own categories, the primary one first. */
  categories: string[];
  /** YYYY-MM-DD; of the current version, according to arXiv's OAI server code. */
  created: string | null;
  /** YYYY-MM-DD. */
  updated: string | null;
  comment: string | null;
  journalRef: string | null;
  /** May hold several, separated by spaces. */
  doi: string | null;
  licenseUrl: string | null;
}

export interface ArxivRecord {
  /** '2401.00001' or 'q-fin/0601001', never with a version. */
  id: string;
  /** Day of the record's last change, YYYY-MM-DD; not a submission date. */
  datestamp: string;
  /** Null when arXiv has deleted the record. */
  metadata: ArxivMetadata | null;
}

/** An unusable record. */
export interface SkippedRecord {
  /** Null when unreadable. */
  id: string | null;
  /** In our words, such as 'malformed XML'. */
  reason: string;
}

export interface RecordPage {
  /** May repeat records of the previous page. */
  records: ArxivRecord[];
  /** The page's unusable records. */
  skipped: SkippedRecord[];
  /** Resumption token of the next page; null on the last. */
  token: string | null;
  /** Day of the response by arXiv's clock, YYYY-MM-DD. */
  responseDate: string;
}

/** A paper's current version in the query API. */
export interface ArxivVersion extends Omit<ArxivMetadata, 'created' | 'updated' | 'licenseUrl'> {
  id: string;
  version: number;
  /** First submission, YYYY-MM-DD. */
  published: string;
  /** Submission of this version, YYYY-MM-DD. */
  updated: string;
}

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

/**
 * A pattern in which `{name}` stands for the part of that name, which may have parts itself. Throws an
 * Error for a name without a part.
 */
export function spell(pattern: string, parts: Readonly<Record<string, string>>): string {
  return pattern.replace(/(?<!\\[pPu])\{([a-z]\w+)\}/gi, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`No part of a pattern is named "${name}".`);
    return spell(part, parts);
  });
}
