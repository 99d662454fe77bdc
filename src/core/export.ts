export type ExportValue = string | number | boolean | null;

/**
 * What an export of an area writes. Its rows are read from the store while they are written, so
 * a table of any length takes the same memory.
 */
export interface ExportTable {
  /** Names of the columns, as the contract spells the fields. */
  columns: readonly string[];
  rows: Iterable<readonly ExportValue[]>;
  /** The same rows as CSV in pieces, where the store writes them faster. */
  csv?: Iterable<string>;
  /** Columns whose text is a JSON array; the JSON formats write it as an array. */
  lists?: readonly string[];
  /** A sentence that whoever reads the rows should know. */
  notice?: string;
}
