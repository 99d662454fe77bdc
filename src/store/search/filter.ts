/** Restricts a search itself, not its result, to some rows of a table. */
export interface Filter {
  /** Table with its alias. */
  from: string;
  /** Column of the card's id, under that alias. */
  id: string;
  /** SQL condition over that table. */
  where: string;
  params: Readonly<Record<string, string | number>>;
}

/** The condition that `column` is the id of a card that passes the filter. */
export function passes(column: string, filter: Filter | undefined): string {
  if (filter === undefined) return 'true';
  const { from, id, where } = filter;
  return `${column} IN (SELECT ${id} FROM ${from} WHERE ${where})`;
}
