/** Increment whenever the same document yields different sections. */
export const PARSER_VERSION = 2;

/** Values of `section_type`, as in the contract. */
export type SectionType =
  | 'abstract'
  | 'introduction'
  | 'related_work'
  | 'background'
  | 'data'
  | 'methods'
  | 'results'
  | 'discussion'
  | 'conclusion'
  | 'acknowledgements'
  | 'appendix'
  | 'references'
  | 'note'
  | 'other';

/** One section of a paper, as stored. */
export interface TextSection {
  /** `abstract`, `references`, or `s<two digits>-<slug of the title>`. */
  key: string;
  type: SectionType;
  title: string;
  /** Markdown. */
  content: string;
}

/** The sections of a document in order, or why it has none. */
export type ParseResult =
  | {
      ok: true;
      sections: TextSection[];
      /** The licence as the document words it; null when it states none. */
      license: string | null;
    }
  | { ok: false; reason: 'failed conversion' | 'too little text' | 'not a paper' };
