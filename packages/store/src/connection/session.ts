import { escapeIdentifier } from 'pg';
import { labelProgram, type Program } from './program.js';

/**
 * The parameters of a session that decide how stored data is written, read and searched. Prisma's driver sends moments
 * without an offset and ignores the offset of what it reads, so a session in another zone than UTC moves each moment
 * that only one of the two drivers handles.
 */
const PINNED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  // A query of a stage reads a few rows: parallel workers and compiled code cost more than they save.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const;

/** The schema of the tables: the parameter `schema` of the connection string, as Prisma names it, else `public`. */
export function getSchema(databaseUrl: string): string {
  return new URL(databaseUrl).searchParams.get('schema') ?? 'public';
}

/** The parameters that differ from session to session. */
interface SessionTerms {
  /** By default the schema of the tables. */
  readonly searchPath?: string | undefined;
  /** Which program connects; a command unless given. */
  readonly program?: Program | undefined;
  /** Further parameters. */
  readonly more?: Readonly<Record<string, string>>;
}

/**
 * Adds the pinned parameters to a connection string, for every connection of ours. They travel in the start-up message:
 * they hold before the first statement, and above the settings of the server, the database and the role.
 */
export function pinSession(databaseUrl: string, { searchPath, program, more }: SessionTerms = {}): string {
  const url = new URL(databaseUrl);
  const parameters = { ...PINNED, search_path: searchPath ?? escapeIdentifier(getSchema(databaseUrl)), ...more };
  const switches = Object.entries(parameters).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, String.raw`\$&`)}`,
  );
  // Of one parameter the last value counts, so what the connection string has cannot undo ours.
  url.searchParams.set('options', [...url.searchParams.getAll('options'), ...switches].join(' '));
  url.searchParams.set('application_name', labelProgram(program));
  return url.href;
}
