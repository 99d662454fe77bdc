/** Rises with every change of what the readers make of the same document. */
export const PARSER_VERSION = 2;

/** The kinds of section that `section_type` names. */
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

/** One section of a paper as the shelf keeps it. */
export interface TextSection {
  /** `abstract`, `references`, or `s<two digits>-<slug of the title>`. */
  key: string;
  type: SectionType;
  title: string;
  /** Markdown. */
  content: string;
}

/** What a reader made of a document: its sections in order, or why there are none. */
export type Reading =
  | {
      ok: true;
      sections: TextSection[];
      /** The licence the document itself names, in its words; null where it names none. */
      license: string | null;
    }
  | { ok: false; reason: 'failed conversion' | 'too little text' | 'not a paper' };
