/**
 * Lists the columns of a table, as this program's schema has them. A statement that a connection prepares by name must
 * not say `*`: PostgreSQL refuses its next run once a newer schema has added a column.
 *
 * @param fields Prisma's names of them, such as `Prisma.OperationScalarFieldEnum`.
 * @param alias of the table in the statement.
 */
export function listColumns(fields: Readonly<Record<string, string>>, alias: string): string {
  return Object.keys(fields)
    .map((field) => `${alias}.${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`)
    .join(', ');
}
