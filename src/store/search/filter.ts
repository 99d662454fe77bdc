/** Restricts a search to some rows of a table, before ranking. */
export interface Filter {
  /** Table with its alias. */
  from: string;
  /** Column of the card's id, under that alias. */
  id: string;
  /** SQL condition over that table. */
  where: string;
  params: Readonly<Record<string, string | number>>;
}

/** Cards that a question would rather have, and what they gain in score. */
export interface Preference {
  /** Within the filter of the search, if it has one. */
  filter: Filter;
  boost: number;
  /** Those related to the question come before all others. */
  leads?: boolean;
}
