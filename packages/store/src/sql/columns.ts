// The columns of tables in this program's schema. A hand-written list states its rows with `satisfies`, so that
// typecheck fails when it misses a column.

/** The name of a column in the database, from Prisma's name. */
export type Column<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Column<Rest>}`
  : '';

/**
 * A value for each column of a row, such as its SQL type.
 *
 * @typeParam Row Prisma's type of the row.
 * @typeParam Left columns that defaults, later steps or triggers write.
 */
export type ColumnsOf<Row, Left extends keyof Row = never> = Readonly<
  Record<Column<Exclude<keyof Row, Left> & string>, unknown>
>;

/** Converts Prisma's name of a column to the database's. */
export function toColumn(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Lists the columns of a table. A named prepared statement must not use `*`: PostgreSQL refuses its next run once a
 * newer schema has added a column.
 *
 * @param fields Prisma's names, such as `Prisma.OperationScalarFieldEnum`.
 * @param alias of the table in the statement.
 */
export function listColumns(fields: Readonly<Record<string, string>>, alias: string): string {
  return Object.keys(fields)
    .map((field) => `${alias}.${toColumn(field)}`)
    .join(', ');
}
