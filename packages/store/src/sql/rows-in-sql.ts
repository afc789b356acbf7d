import { Prisma } from '../generated/prisma/client.js';
import { execute, sql } from './query.js';

/** A column value. Integers beyond 2^53 are decimal strings, and JSON is text. */
type ColumnValue = string | number | boolean | Date | null;

/**
 * Rows as a table named `rows` in a statement, with one array per column. PostgreSQL reads arrays about three times as
 * fast as JSON.
 *
 * @param types the columns with their SQL types. They become part of the statement, so never pass untrusted input.
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

/** The columns and values of a row to insert: `INSERT INTO lease ${valuesInSql(…)}`. A FROM clause can follow. */
export function valuesInSql(row: Readonly<Record<string, ColumnValue | Prisma.Sql>>): Prisma.Sql {
  return sql`(${columnsInSql(row)}) SELECT ${Prisma.join(Object.values(row))}`;
}

/** Inserts rows in one statement. `table` and `types` must not be untrusted input. */
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
 * PostgreSQL's array literal. Inside the brackets its syntax is that of JSON, except for escaped control characters.
 *
 * @throws RangeError when a value has a control character.
 */
function arrayLiteral(values: readonly ColumnValue[]): string {
  const json = JSON.stringify(values);
  if (json.includes('\\') && json.replaceAll(/\\["\\]/g, '').includes('\\'))
    throw new RangeError('A text for the database contains a control character');
  return `{${json.slice(1, -1)}}`;
}
