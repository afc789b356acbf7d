// The columns of tables, as this program's schema has them. A list that is written by hand says with `satisfies`, which
// rows it is for: typecheck fails when it misses a column of theirs.

/** The name of a column, from Prisma's name of it. */
export type Column<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Column<Rest>}`
  : '';

/**
 * Something for each column of a row, such as its SQL type.
 *
 * @typeParam Row Prisma's type of the row.
 * @typeParam Left the columns that are left to others: to defaults, to later steps, to triggers.
 */
export type ColumnsOf<Row, Left extends keyof Row = never> = Readonly<
  Record<Column<Exclude<keyof Row, Left> & string>, unknown>
>;

/** Prisma's name of a column, as the database has it. */
export function toColumn(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Lists the columns of a table. A statement that a connection prepares by name must not say `*`: PostgreSQL refuses its
 * next run once a newer schema has added a column.
 *
 * @param fields Prisma's names of them, such as `Prisma.OperationScalarFieldEnum`.
 * @param alias of the table in the statement.
 */
export function listColumns(fields: Readonly<Record<string, string>>, alias: string): string {
  return Object.keys(fields)
    .map((field) => `${alias}.${toColumn(field)}`)
    .join(', ');
}
