/** What arXiv says of a paper in its list of records. Texts are cleaned; TeX formulas stay TeX. */
export interface ArxivMetadata {
  title: string;
  /** Forenames first, in the paper's order. */
  authors: string[];
  /** Paragraphs are parted by a blank line; '' where arXiv has none. */
  abstract: string;
  /** arXiv's own only, the primary one first. */
  categories: string[];
  /** YYYY-MM-DD; of the current version, going by the server's code. */
  created: string | null;
  /** YYYY-MM-DD. */
  updated: string | null;
  comment: string | null;
  reportNo: string | null;
  journalRef: string | null;
  /** May hold several, parted by blanks. */
  doi: string | null;
  licenseUrl: string | null;
}

export interface ArxivRecord {
  /** '2401.00001' or 'q-fin/0601001', never with a version. */
  id: string;
  /** When the record last changed, YYYY-MM-DD; no date of submission. */
  datestamp: string;
  deleted: boolean;
  /** Null when deleted, and only then. */
  metadata: ArxivMetadata | null;
}

/** A record that could not be used. */
export interface SkippedRecord {
  /** Null where it cannot be made out. */
  id: string | null;
  /** In our words, such as 'malformed XML'. */
  reason: string;
}

export interface RecordPage {
  /** May repeat records of the page before. */
  records: ArxivRecord[];
  /** Those that the page lists besides. */
  skipped: SkippedRecord[];
  /** For the next page; null at the last. */
  token: string | null;
  /** The day on which arXiv answered, YYYY-MM-DD. */
  responseDate: string;
}

/** What arXiv's query API says of the current version of a paper. */
export interface ArxivVersion {
  id: string;
  version: number;
  /** First submission, YYYY-MM-DD. */
  published: string;
  /** Submission of this version, YYYY-MM-DD. */
  updated: string;
  title: string;
  authors: string[];
  abstract: string;
  categories: string[];
  comment: string | null;
  journalRef: string | null;
  /** May hold several, parted by blanks. */
  doi: string | null;
  /** Null where arXiv names none, as for withdrawn papers. */
  pdfUrl: string | null;
}
