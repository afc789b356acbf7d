import { Prisma } from '../generated/prisma/client.js';
import { execute, sql } from './query.js';

/** A value of a column. Integers beyond 2^53 are decimal strings, and JSON is text. */
type ColumnValue = string | number | boolean | Date | null;

/**
 * Rows as a table of a statement, `rows` by name: one array a column. PostgreSQL reads arrays about three times as fast
 * as JSON, and the text has no names of columns.
 *
 * @param types the columns with their SQL types. Never from outside: they become part of the statement.
 */
export function rowsInSql<C extends string>(
  types: Readonly<Record<C, string>>,
  rows: readonly Readonly<Record<NoInfer<C>, ColumnValue>>[],
): Prisma.Sql {
  const columns = Object.entries<string>(types) as [C, string][];
  const arrays = columns.map(
    ([column, type]) => sql`${arrayLiteral(rows.map((row) => row[column]))}::${Prisma.raw(`${type}[]`)}`,
  );
  return sql`unnest(${Prisma.join(arrays)}) AS rows (${columnsInSql(types)})`;
}

/** The names of the columns, in the order of `rowsInSql`. */
export function columnsInSql(columns: Readonly<Record<string, unknown>>): Prisma.Sql {
  return Prisma.raw(
    Object.keys(columns)
      .map((name) => `"${name}"`)
      .join(', '),
  );
}

/** The columns of a row to be inserted, and its values: `INSERT INTO lease ${valuesInSql(…)}`. A FROM may follow. */
export function valuesInSql(row: Readonly<Record<string, ColumnValue | Prisma.Sql>>): Prisma.Sql {
  return sql`(${columnsInSql(row)}) SELECT ${Prisma.join(Object.values(row))}`;
}

/** Inserts rows in one statement. `table` and `types`: never from outside. */
export async function insertRows<C extends string>(
  tx: Prisma.TransactionClient,
  table: string,
  types: Readonly<Record<C, string>>,
  rows: readonly Readonly<Record<NoInfer<C>, ColumnValue>>[],
): Promise<void> {
  const columns = columnsInSql(types);
  await execute(tx)`
    INSERT INTO ${Prisma.raw(table)} (${columns}) SELECT ${columns} FROM ${rowsInSql(types, rows)}`;
}

/**
 * PostgreSQL's text of an array. Inside the brackets it is that of JSON, except for escapes of control characters.
 *
 * @throws RangeError when a value has one of those.
 */
function arrayLiteral(values: readonly ColumnValue[]): string {
  const json = JSON.stringify(values);
  if (json.includes('\\') && json.replaceAll(/\\["\\]/g, '').includes('\\'))
    throw new RangeError('A text for the database has a control character');
  return `{${json.slice(1, -1)}}`;
}
