import { escapeIdentifier } from 'pg';
import { labelProgram, type Program } from './program.js';

/**
 * Session parameters that affect how data is written, read and searched. Prisma's driver sends timestamps without an
 * offset and ignores the offset of timestamps that it reads. In a session outside UTC, it would shift each timestamp
 * that the other driver writes or reads.
 */
const PINNED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  // Queries of stages read a few rows: parallel workers and JIT cost more than they save.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const;

/** The schema of the tables: Prisma's parameter `schema` of the connection string, or `public`. */
export function getSchema(databaseUrl: string): string {
  return new URL(databaseUrl).searchParams.get('schema') ?? 'public';
}

/** Parameters that differ between sessions. */
interface SessionTerms {
  /** Default: the schema of the tables. */
  readonly searchPath?: string | undefined;
  /** The program that connects. Default: a command. */
  readonly program?: Program | undefined;
  /** Further parameters. */
  readonly more?: Readonly<Record<string, string>>;
}

/**
 * Adds the pinned parameters to a connection string. They are part of the start-up message, so they apply before the
 * first statement and override the settings of the server, the database and the role.
 */
export function pinSession(databaseUrl: string, { searchPath, program, more }: SessionTerms = {}): string {
  const url = new URL(databaseUrl);
  const parameters = { ...PINNED, search_path: searchPath ?? escapeIdentifier(getSchema(databaseUrl)), ...more };
  const switches = Object.entries(parameters).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, String.raw`\$&`)}`,
  );
  // The last value of a parameter wins, so the connection string cannot override ours.
  url.searchParams.set('options', [...url.searchParams.getAll('options'), ...switches].join(' '));
  url.searchParams.set('application_name', labelProgram(program));
  return url.href;
}
