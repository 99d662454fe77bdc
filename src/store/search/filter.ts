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

/** The condition that `column` is the id of a card that passes: gathers the ids of all that do. */
export function passes(column: string, filter: Filter | undefined): string {
  if (filter === undefined) return 'true';
  const { from, id, where } = filter;
  return `${column} IN (SELECT ${id} FROM ${from} WHERE ${where})`;
}

/** The same condition looked up card by card, which costs less where few are asked about. */
export function passesOneByOne(column: string, filter: Filter | undefined): string {
  if (filter === undefined) return 'true';
  const { from, id, where } = filter;
  return `EXISTS (SELECT 1 FROM ${from} WHERE ${id} = ${column} AND (${where}))`;
}
